#include "arrival/broadcast.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "arrival/impact.hpp"

namespace {

using namespace tutti::arrival;

constexpr double k_t = 4000, k_spread = 500'000;

Pattern at_random() {
  return parse_pattern("uniform:500us").value();
}

Broadcast of_leader(Leader leader, uint32_t processes = 256, uint32_t nodes = 32) {
  return {processes, nodes, leader, k_t, k_t};
}

TEST(Broadcast, TogetherItTakesWhatFormulaOneSays) {
  for (const uint32_t nodes : {1U, 2U, 5U, 8U, 33U, 128U}) {
    const auto flat = sampled_times(of_leader(Leader::fixed, nodes, nodes), {}, 1, 1);
    EXPECT_EQ(flat.slowest.value, nodes == 1 ? 0 : balanced_time(binomial_steps(nodes), k_t)) << nodes;
    for (const Leader leader : {Leader::fixed, Leader::first}) {
      const auto pipelined = sampled_times(of_leader(leader, 4 * nodes, nodes), {}, 1, 1);
      EXPECT_EQ(pipelined.slowest.value, balanced_time(binomial_steps(nodes), k_t) + k_t) << nodes;
      EXPECT_EQ(pipelined.after_last.value, pipelined.slowest.value);
      EXPECT_EQ(pipelined.floor_slowest.value, 0);
    }
  }
}

TEST(Broadcast, EveryoneWaitsForALateRoot) {
  const auto late = parse_pattern("straggler:rank=0,500us").value();
  for (const Leader leader : {Leader::fixed, Leader::first, Leader::agent}) {
    const auto times = sampled_times(of_leader(leader), late, 1, 1);
    EXPECT_EQ(times.floor_slowest.value, k_spread);
    EXPECT_EQ(times.floor_mean.value, k_spread * 255 / 256);
    EXPECT_LE(times.slowest.value, k_spread + 7 * k_t);
  }
}

TEST(Broadcast, OnlyAFixedLeaderHoldsUpItsSubtree) {
  const auto late =
      parse_pattern("straggler:rank=128,500us").value();  // leads node 16, with half of the tree
  const auto fixed = sampled_times(of_leader(Leader::fixed), late, 1, 1);
  EXPECT_GE(fixed.slowest.value, k_spread);
  for (const Leader leader : {Leader::first, Leader::agent})
    EXPECT_LE(sampled_times(of_leader(leader), late, 1, 1).slowest.value, 7 * k_t);
}

TEST(Broadcast, TheFloorAtRandomIsASixthOfTheSpread) {
  const auto times = sampled_times(of_leader(Leader::fixed), at_random(), 4000, 1);
  EXPECT_NEAR(times.floor_mean.value, k_spread / 6 * 255 / 256, 4 * times.floor_mean.error);
  // The greatest of 255 estimates of the same number.
  EXPECT_NEAR(times.floor_slowest.value, k_spread / 6, 6 * times.floor_slowest.error);
}

TEST(Broadcast, ALeafOfOneStepIsTheoremOne) {
  const auto times = sampled_times({2, 2, Leader::fixed, k_t, 0}, at_random(), 40'000, 1);
  EXPECT_NEAR(times.slowest.value, mean_message_time(k_spread, k_t), 5 * times.slowest.error);
  EXPECT_NEAR(times.mean.value, mean_message_time(k_spread, k_t), 4 * times.mean.error);
}

TEST(Broadcast, CompetitionHelpsAndAgentsHelpMore) {
  const auto fixed = sampled_times(of_leader(Leader::fixed), at_random(), 1000, 1);
  const auto first = sampled_times(of_leader(Leader::first), at_random(), 1000, 1);
  const auto agent = sampled_times(of_leader(Leader::agent), at_random(), 1000, 1);
  EXPECT_LT(first.mean.value, 0.8 * fixed.mean.value);
  EXPECT_LT(agent.mean.value, first.mean.value);
  EXPECT_GT(agent.mean.value, agent.floor_mean.value);
  EXPECT_LT(first.after_last.value, fixed.after_last.value);
}

TEST(Broadcast, BadOnesGetOneLine) {
  EXPECT_TRUE(check(of_leader(Leader::first)));
  EXPECT_FALSE(check(of_leader(Leader::first, 10, 3)));
  EXPECT_FALSE(check(of_leader(Leader::first, 0, 1)));
  EXPECT_FALSE(check(of_leader(Leader::first, 4, 0)));
  EXPECT_FALSE(check(Broadcast{4, 2, Leader::fixed, NAN, 0}));
  EXPECT_FALSE(check(Broadcast{4, 2, Leader::fixed, 0, -1}));
}

}  // namespace
