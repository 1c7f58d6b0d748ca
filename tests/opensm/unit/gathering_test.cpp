#include "opensm/gathering.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tutti::opensm {
namespace {

using namespace std::chrono_literals;
using JoinGathering = Gathering<std::unique_ptr<int>>;

constexpr JoinGathering::Clock::time_point k_start{};
const fabric::Mgid k_one = fabric::numbered_mgid(0), k_two = fabric::numbered_mgid(1);

TEST(OpensmGathering, AGroupIsDueWhenItIsQuiet) {
  JoinGathering gathering(100ms, 0);
  gathering.add(k_one, 1, std::make_unique<int>(1), k_start);
  gathering.add(k_one, 2, std::make_unique<int>(2), k_start + 60ms);
  EXPECT_FALSE(gathering.take_due(k_start + 110ms));
  EXPECT_EQ(gathering.next_due(), k_start + 160ms);
  const auto due = gathering.take_due(k_start + 160ms);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->first, k_one);
  EXPECT_EQ(due->second.size(), 2u);
  EXPECT_FALSE(gathering.next_due());
  EXPECT_EQ(gathering.request_count(), 0u);
}

TEST(OpensmGathering, ATrickleDoesNotHoldAGroupForEver) {
  JoinGathering gathering(100ms, 0);
  for (int i = 0; i < 20; ++i) gathering.add(k_one, static_cast<uint64_t>(i), nullptr, k_start + i * 90ms);
  EXPECT_EQ(gathering.next_due(), k_start + 1000ms);
}

TEST(OpensmGathering, AKnownSizeEndsTheWait) {
  JoinGathering gathering(100ms, 2);
  gathering.add(k_one, 1, nullptr, k_start);
  gathering.add(k_two, 1, nullptr, k_start + 1ms);
  gathering.add(k_two, 2, nullptr, k_start + 2ms);
  const auto due = gathering.take_due(k_start + 2ms);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->first, k_two);
  EXPECT_TRUE(gathering.has(k_one));
  EXPECT_FALSE(gathering.take_due(k_start + 2ms));
}

TEST(OpensmGathering, ARequestThatIsSentAgainReplacesTheFirst) {
  JoinGathering gathering(100ms, 2);
  gathering.add(k_one, 1, std::make_unique<int>(1), k_start);
  gathering.add(k_one, 1, std::make_unique<int>(2), k_start + 50ms);
  EXPECT_EQ(gathering.request_count(), 1u);
  const auto due = gathering.take_due(k_start + 150ms);
  ASSERT_TRUE(due);
  EXPECT_EQ(*due->second.at(1), 2);
}

}  // namespace
}  // namespace tutti::opensm
