#include "interconnect/event_wheel.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::interconnect {
namespace {

TEST(EventWheel, KeepsOrderNearAndFar) {
  EventWheel<int> wheel(8);
  wheel.add(3, 1);
  wheel.add(100, 2);
  wheel.add(3, 3);
  std::vector<int> events;
  EXPECT_EQ(wheel.next(0, 1000), 3u);
  wheel.take(3, events);
  EXPECT_EQ(events, (std::vector<int>{1, 3}));
  EXPECT_EQ(wheel.next(4, 50), 50u);
  EXPECT_EQ(wheel.next(50, 1000), 100u);
  wheel.take(97, events);
  EXPECT_TRUE(events.empty());
  wheel.add(100, 4);
  wheel.take(100, events);
  EXPECT_EQ(events, (std::vector<int>{2, 4}));
  EXPECT_TRUE(wheel.is_empty());
}

}  // namespace
}  // namespace tutti::interconnect
