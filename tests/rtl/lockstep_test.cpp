// The C++ model and the RTL of one engine, in every cycle and at every port.
#include "lockstep.hpp"

#include <gtest/gtest.h>

#include "rtl_engine.hpp"
#include "stimulus.hpp"

namespace tutti::rtl {
namespace {

TEST(RtlLockstep, ModelAndRtlAreEqualInEveryCycle) {
  constexpr uint64_t k_patterns = 64;  // four for each depth; bench/offload_rtl.py runs 1,000 and more
  offload::nic::EngineCounters sum;
  forget_assertion_failures();
  for (uint64_t seed = 0; seed < k_patterns; ++seed) {
    LockstepOptions options{.seed = seed};
    options.model = options.rtl = random_configuration(seed);
    const LockstepResult result = run_lockstep(options);
    ASSERT_EQ(result.difference, "") << "pattern " << seed;
    ASSERT_EQ(result.counters.completions + result.counters.refused, options.descriptors);
    sum.completions += result.counters.completions;
    sum.refused += result.counters.refused;
    sum.nacks += result.counters.nacks;
    sum.early += result.counters.early;
    sum.duplicates += result.counters.duplicates;
    sum.strays += result.counters.strays;
    sum.resends += result.counters.resends;
  }
  EXPECT_EQ(assertion_failures().count, 0u) << assertion_failures().last;
  // The patterns have met everything that an engine can meet.
  EXPECT_GT(sum.completions, 5 * sum.refused);
  EXPECT_GT(sum.refused, k_patterns / 4);
  EXPECT_GT(sum.nacks, k_patterns);
  EXPECT_GT(sum.early, k_patterns);
  EXPECT_GT(sum.duplicates, k_patterns);
  EXPECT_GT(sum.strays, k_patterns);
  EXPECT_GT(sum.resends, k_patterns);
}

TEST(RtlLockstep, OneCycleOfDifferenceIsSeen) {
  uint32_t seen = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    LockstepOptions options{.seed = seed};
    options.model = options.rtl = random_configuration(seed);
    ++options.rtl.timeout_cycles;
    ++options.rtl.backoff_cycles;
    seen += run_lockstep(options).difference.empty() ? 0 : 1;
  }
  EXPECT_GE(seen, 6u);  // in the others nothing was sent again
}

TEST(RtlLockstep, OnlyTheSizesOfTheRtlAreTaken) {
  offload::nic::EngineConfiguration configuration;
  EXPECT_TRUE(check(configuration));
  configuration.damq_depth = 17;
  EXPECT_FALSE(check(configuration));
  configuration.damq_depth = 1;
  configuration.contexts = 5;
  EXPECT_FALSE(check(configuration));
}

}  // namespace
}  // namespace tutti::rtl
