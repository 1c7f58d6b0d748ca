// RTL of other sizes than the default ones (CMakeLists.txt has them), beside a C++ model of the same sizes.
#include <Vbe_large.h>
#include <Vbe_odd.h>
#include <Vbe_small.h>
#include <gtest/gtest.h>

#include "lockstep.hpp"
#include "rtl_engine.hpp"
#include "stimulus.hpp"
#include "verilated_engine.hpp"

namespace tutti::rtl {
namespace {

using offload::nic::EngineConfiguration;

template <class Model>
void expect_equal(const EngineConfiguration& sizes) {
  constexpr uint64_t k_patterns = 64;
  uint64_t completions = 0, refused = 0;
  forget_assertion_failures();
  for (uint64_t seed = 0; seed < k_patterns; ++seed) {
    LockstepOptions options{.seed = seed};
    options.model = options.rtl = random_configuration(seed, sizes);
    VerilatedEngine<Model> rtl(options.rtl, static_cast<uint32_t>(seed));
    const LockstepResult result = run_lockstep(options, rtl);
    ASSERT_EQ(result.difference, "") << "pattern " << seed;
    completions += result.counters.completions;
    refused += result.counters.refused;
  }
  EXPECT_EQ(assertion_failures().count, 0u) << assertion_failures().last;
  EXPECT_GT(completions, k_patterns / 4);
  EXPECT_GT(refused, k_patterns / 4);
}

TEST(RtlSizes, Small) {
  expect_equal<Vbe_small>({BE_SMALL});
}
TEST(RtlSizes, NoPowersOfTwo) {
  expect_equal<Vbe_odd>({BE_ODD});
}
TEST(RtlSizes, Large) {
  expect_equal<Vbe_large>({BE_LARGE});
}

}  // namespace
}  // namespace tutti::rtl
