#include "simulate/shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::simulate {
namespace {

using Whose = std::vector<uint32_t>;

Whose ended(SharedMemory& memory, uint64_t now) {
  Whose whose;
  memory.take_ended(now, whose);
  return whose;
}

TEST(SharedMemory, OneCopyIsAsFastAsACopy) {
  SharedMemory memory(500'000, 100'000);  // 0.5 ns and 0.1 ns per byte
  EXPECT_FALSE(memory.next_end());
  memory.start(1000, 7, 100);
  EXPECT_EQ(memory.next_end(), 1000u + 50'000u);
  EXPECT_EQ(ended(memory, 41'000), Whose{});
  EXPECT_EQ(ended(memory, 51'000), Whose{7});
  EXPECT_FALSE(memory.next_end());
}

TEST(SharedMemory, ManyCopiesShareIt) {
  SharedMemory memory(100'000, 100'000);
  memory.start(0, 1, 100);  // alone: 10 ns
  memory.start(0, 2, 100);
  memory.start(0, 3, 50);
  EXPECT_EQ(memory.next_end(), 15'000u);  // three of them: 0.3 ns per byte
  EXPECT_EQ(ended(memory, 15'000), Whose{3});
  EXPECT_EQ(memory.next_end(), 25'000u);  // 50 bytes are left of both
  EXPECT_EQ(ended(memory, 25'000), (Whose{1, 2}));
}

TEST(SharedMemory, ALateCopySlowsTheOthers) {
  SharedMemory memory(100'000, 100'000);
  memory.start(0, 1, 100);
  memory.start(5'000, 2, 100);
  EXPECT_EQ(memory.next_end(), 15'000u);  // 50 bytes at half the speed
  EXPECT_EQ(ended(memory, 15'000), Whose{1});
  EXPECT_EQ(ended(memory, 20'000), Whose{2});
}

TEST(SharedMemory, WhatCostsNothingEndsAtOnce) {
  SharedMemory memory(0, 0);
  memory.start(3, 1, 1 << 30);
  EXPECT_EQ(memory.next_end(), 3u);
  EXPECT_EQ(ended(memory, 3), Whose{1});
}

/// Due transfers end: rounding never makes an event that moves nothing.
TEST(SharedMemory, RoundingDoesNotStopTime) {
  SharedMemory memory(333'333, 77'777);
  uint64_t now = 0, count = 0;
  for (uint32_t i = 0; i < 1000; ++i) memory.start(i * 37, i, 1 + i * i % 9973);
  while (const auto end = memory.next_end()) {
    now = std::max(now, *end);
    const Whose whose = ended(memory, now);
    ASSERT_FALSE(whose.empty());
    count += whose.size();
  }
  EXPECT_EQ(count, 1000u);
}

}  // namespace
}  // namespace tutti::simulate
