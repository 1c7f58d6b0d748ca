// Nodes with RTL engines in the C++ torus, against the same machine with the C++ engine.
#include "machine.hpp"

#include <gtest/gtest.h>

#include "rtl_engine.hpp"

namespace tutti::rtl {
namespace model = offload::model;
namespace {

void expect_equal(const MachinePattern& pattern) {
  forget_assertion_failures();
  const auto comparison = compare_machines(pattern);
  ASSERT_TRUE(comparison) << describe(pattern) << ": " << comparison.status().message();
  EXPECT_EQ(comparison->difference, "") << describe(pattern);
  EXPECT_EQ(comparison->model_cycles, comparison->rtl_cycles);
  EXPECT_EQ(comparison->early + comparison->differing, 0u) << describe(pattern);
  EXPECT_GT(comparison->transfers, 10 * pattern.workload.nodes);
  EXPECT_EQ(assertion_failures().count, 0u) << assertion_failures().last;
}

// Runs with and without the cycles in which the RTL is idle.
TEST(RtlMachine, SmallMachinesOfAllDepths) {
  for (uint64_t seed = 0; seed < 32; ++seed) {
    MachinePattern pattern = random_pattern(seed, 6 + seed % 5);
    pattern.is_every_cycle = seed >= 24;
    expect_equal(pattern);
  }
}

TEST(RtlMachine, TheTorusOf128Nodes) {
  MachinePattern pattern;  // as published, but that arrivals differ and the DAMQ is small
  pattern.parameters.damq_depth = 2;
  pattern.workload.arrivals = *arrival::parse_pattern("uniform:2us");
  expect_equal(pattern);
}

}  // namespace
}  // namespace tutti::rtl
