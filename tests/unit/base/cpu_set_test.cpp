#include "base/cpu_set.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace tutti::base {
namespace {

TEST(CpuSet, IsTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const CpuSet mine = CpuSet::of_this_thread();
  EXPECT_EQ(mine.count(), static_cast<uint32_t>(CPU_COUNT(&before)));
  EXPECT_EQ(usable_cpu_count(), mine.count());

  unsigned first = 0;
  while (!mine.has(first)) ++first;
  const CpuSet one = CpuSet::of({first});
  ASSERT_EQ(sched_setaffinity(0, one.bytes(), one.get()), 0);
  const CpuSet now = CpuSet::of_this_thread();
  EXPECT_EQ(usable_cpu_count(), 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_TRUE(now == one);
  EXPECT_EQ(now == mine, mine.count() == 1);
}

TEST(CpuSet, HoldsUnitsOfLargeMachines) {
  const CpuSet set = CpuSet::of({3, 5000});
  EXPECT_EQ(set.count(), 2u);
  EXPECT_TRUE(set.has(3));
  EXPECT_TRUE(set.has(5000));
  EXPECT_FALSE(set.has(4));
  EXPECT_FALSE(set.has(1'000'000)) << "beyond what it can hold";
}

TEST(CpuSet, SetsOfDifferentCapacityAreEqualWhenTheyHoldTheSame) {
  EXPECT_TRUE(CpuSet::of({}) == CpuSet::of({}));
  EXPECT_FALSE(CpuSet::of({1}) == CpuSet::of({1, 5000}));
}

}  // namespace
}  // namespace tutti::base
