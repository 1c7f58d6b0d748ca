#include "collective/plan_cache.hpp"

#include <gtest/gtest.h>

#include "algorithm/catalogue.hpp"
#include "topology/topology.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using algorithm::Request;

Request message(uint64_t bytes) {
  return {.collective = Collective::bcast, .rank_count = 4, .bytes = bytes};
}

PreparedCall prepared_for(const Request& request) {
  const algorithm::Algorithm& row = *algorithm::find(Collective::bcast, "knomial");
  auto schedule = row.build(request, 1, topology::Topology::flat(4), default_parameters(row)).value();
  return {.work = ScheduledCall{engine::Plan::make(std::move(schedule), {}).value()}};
}

struct PlanCacheTest : testing::Test {
  PlanCacheTest() { budget.set_limit(uint64_t{1} << 20); }
  PlanBudget budget;
};

TEST_F(PlanCacheTest, FindsWhatWasKept) {
  PlanCache cache(budget);
  const PreparedCall kept = prepared_for(message(100));
  cache.insert(message(100), PlanCache::k_by_rules, kept);
  PreparedCall found;
  ASSERT_TRUE(cache.find(message(100), PlanCache::k_by_rules, &found));
  EXPECT_EQ(found.plan(), kept.plan());
  EXPECT_FALSE(cache.find(message(101), PlanCache::k_by_rules, &found));
}

TEST_F(PlanCacheTest, TellsVariantsApartByCandidateAndLeader) {
  PlanCache cache(budget);
  const PlanVariant fixed{.number = 2}, agent{.number = 2, .leader = select::LeaderPolicy::agent};
  const PreparedCall of_fixed = prepared_for(message(100)), of_agent = prepared_for(message(100));
  cache.insert(message(100), fixed, of_fixed);
  PreparedCall found;
  EXPECT_FALSE(cache.find(message(100), agent, &found));
  EXPECT_FALSE(cache.find(message(100), {.number = 3}, &found));
  cache.insert(message(100), agent, of_agent);
  ASSERT_TRUE(cache.find(message(100), fixed, &found));
  EXPECT_EQ(found.plan(), of_fixed.plan());
  ASSERT_TRUE(cache.find(message(100), agent, &found));
  EXPECT_EQ(found.plan(), of_agent.plan());
}

TEST_F(PlanCacheTest, DropsThePlansOfTheCacheThatHasBeenIdleLongest) {
  PlanCache idle(budget), busy(budget);
  idle.insert(message(1), PlanCache::k_by_rules, prepared_for(message(1)));
  const uint64_t one = budget.used_bytes();
  budget.set_limit(8 * one);
  for (uint64_t bytes = 2; bytes < 40; ++bytes)
    busy.insert(message(bytes), PlanCache::k_by_rules, prepared_for(message(bytes)));
  EXPECT_LE(budget.used_bytes(), 8 * one);
  PreparedCall found;
  EXPECT_FALSE(idle.find(message(1), PlanCache::k_by_rules, &found));
  EXPECT_TRUE(busy.find(message(39), PlanCache::k_by_rules, &found));
}

TEST_F(PlanCacheTest, WhatOneRankCannotDoIsNotTakenForTheNativeMpi) {
  EXPECT_TRUE(PreparedCall{}.is_native());
  EXPECT_FALSE((PreparedCall{.work = FailedCall{{base::Code::out_of_memory, "none"}}}).is_native());
  EXPECT_FALSE(prepared_for(message(1)).is_native());
}

}  // namespace
}  // namespace tutti::collective
