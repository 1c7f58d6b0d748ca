// Tests for which networks the built-in rules are made.

#include "select/links.hpp"

#include <gtest/gtest.h>

namespace tutti::select {
namespace {

/// The round-trip time of a message on a link of that speed, including the part that is not the wire's.
Links over(double gigabits_per_s, uint64_t round_trip_ns) {
  const auto wire_ns = static_cast<uint64_t>(static_cast<double>(Links::k_long_bytes) * 8 / gigabits_per_s);
  return Links::measured(round_trip_ns, wire_ns + round_trip_ns);
}

TEST(Links, OneGigabitIsSlowAndMoreIsFast) {
  constexpr uint64_t k_round_trip_ns = 60'000;
  for (const double slow : {0.1, 0.94, 1.15}) EXPECT_TRUE(over(slow, k_round_trip_ns).are_slow) << slow;
  for (const double fast : {2.3, 9.4, 90.0}) EXPECT_FALSE(over(fast, k_round_trip_ns).are_slow) << fast;
}

TEST(Links, AreFastWhereNothingIsKnownOrTheMessageTookNoTime) {
  EXPECT_FALSE(Links::measured(Links::k_unknown_ns, Links::k_unknown_ns).are_slow);
  EXPECT_FALSE(Links::measured(1000, Links::k_unknown_ns).are_slow);
  EXPECT_FALSE(Links::measured(1000, 900).are_slow);
}

TEST(Links, SayWhatFollows) {
  EXPECT_EQ(over(0.94, 90'000).description(), "0.94 Gbit/s, 45 µs: the built-in rules hold");
  EXPECT_EQ(over(11.2, 2'000).description(),
            "11.20 Gbit/s, 1 µs: the built-in rules are for slower links, and do not hold");
  EXPECT_EQ(Links::said(true).description(), "slow links: the built-in rules hold");
  EXPECT_EQ(Links::said(false).description(),
            "fast links: the built-in rules are for slower links, and do not hold");
}

}  // namespace
}  // namespace tutti::select
