#include "engine/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "tests/support/sanitizer.hpp"

namespace tutti::engine {
namespace {

TEST(Scratch, GivesAlignedMemoryThatGrows) {
  Scratch scratch;
  EXPECT_EQ(scratch.data(), nullptr);
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{100}, uint64_t{70'000}, uint64_t{3'000'001}}) {
    ASSERT_TRUE(scratch.require(bytes));
    ASSERT_GE(scratch.capacity_bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch.data()) % 64, 0u);
    std::memset(scratch.data(), 1, bytes);
  }
}

TEST(Scratch, KeepsSmallMemoryAndReturnsLargeOne) {
  Scratch scratch;
  ASSERT_TRUE(scratch.require(1000));
  const std::byte* const small = scratch.data();
  scratch.trim();
  EXPECT_EQ(scratch.data(), small);
  ASSERT_TRUE(scratch.require(1 << 20));
  scratch.trim();
  EXPECT_EQ(scratch.capacity_bytes(), 0u);
}

TEST(Scratch, LendsReturnedMemoryAgain) {
  Scratch one, other;
  ASSERT_TRUE(one.require(5 << 20));
  const std::byte* const lent = one.data();
  one.trim();
  ASSERT_TRUE(other.require(5 << 20));
  EXPECT_EQ(other.data(), lent);
}

TEST(Scratch, SaysWhenThereIsNoMemory) {
  if (test::k_is_sanitized) GTEST_SKIP() << "a sanitizer ends the program instead";
  Scratch scratch;
  const base::Status status = scratch.require(uint64_t{1} << 46);
  EXPECT_EQ(status.code(), base::Code::out_of_memory);
  EXPECT_EQ(scratch.capacity_bytes(), 0u);
  EXPECT_TRUE(scratch.require(10)) << "it can still be used for less";
}

}  // namespace
}  // namespace tutti::engine
