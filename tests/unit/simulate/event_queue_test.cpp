#include "simulate/event_queue.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"

namespace tutti::simulate {
namespace {

/// Random events near and far, beside a map that keeps equal times in order.
TEST(EventQueue, IsAMapThatKeepsEqualTimesInOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Random random(seed);
    EventQueue<uint32_t> queue;
    std::multimap<uint64_t, uint32_t> expected;
    uint64_t now = 0;
    for (uint32_t number = 0; number < 5000; ++number) {
      const uint64_t after = random.next() >> random.below(64), time = now + (after >> 8);
      queue.add(time, number);
      expected.emplace(time, number);
      for (uint32_t taken = random.below(3); taken > 0 && !queue.is_empty(); --taken) {
        const auto [at, event] = queue.take();
        ASSERT_EQ(at, expected.begin()->first);
        ASSERT_EQ(event, expected.begin()->second);
        expected.erase(expected.begin());
        now = at;
      }
    }
    for (const auto& [time, number] : expected) {
      const auto [at, event] = queue.take();
      ASSERT_EQ(at, time);
      ASSERT_EQ(event, number);
    }
    EXPECT_TRUE(queue.is_empty());
  }
}

TEST(EventQueue, TakesTheLastMoment) {
  EventQueue<int> queue;
  queue.add(UINT64_MAX, 2);
  queue.add(0, 1);
  EXPECT_EQ(queue.take().second, 1);
  EXPECT_EQ(queue.take(), (std::pair<uint64_t, int>{UINT64_MAX, 2}));
}

}  // namespace
}  // namespace tutti::simulate
