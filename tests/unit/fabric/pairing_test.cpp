// Units are joined with what is like them, and nothing is lost by that.

#include "fabric/batch.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/random.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

constexpr double k_likeness = 0.3;

std::vector<SwitchId> from_to(SwitchId first, SwitchId end) {
  std::vector<SwitchId> switches(end - first);
  std::iota(switches.begin(), switches.end(), first);
  return switches;
}

TEST(Pairing, TheMostAlikeGoTogether) {
  const std::vector<Unit> units{
      {{0}, from_to(0, 8)}, {{1, 5}, from_to(3, 11)}, {{2}, from_to(2, 10)}, {{3}, {20}}};
  const auto joined = joined_in_pairs(units, 30, k_likeness);
  ASSERT_EQ(joined.size(), 3u);
  EXPECT_EQ(joined[0].groups, (std::vector<GroupId>{0, 2}));
  EXPECT_EQ(joined[0].terminals, from_to(0, 10));
  EXPECT_EQ(joined[1].groups, (std::vector<GroupId>{1, 5}));
  EXPECT_EQ(joined[2].groups, (std::vector<GroupId>{3}));
}

TEST(Pairing, WhatIsNotAlikeStaysAlone) {
  const std::vector<Unit> units{{{0}, from_to(0, 10)}, {{1}, from_to(9, 19)}, {{2}, from_to(20, 21)}};
  EXPECT_EQ(joined_in_pairs(units, 30, k_likeness).size(), 3u);
  EXPECT_TRUE(joined_in_pairs({}, 30, k_likeness).empty());
}

TEST(Pairing, EveryGroupIsInOneUnitWithAllItsSwitches) {
  constexpr uint32_t k_switches = 40;
  size_t pairs = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Random random(seed);
    std::vector<Unit> units(1 + random.below(60));
    for (GroupId group = 0; group < units.size(); ++group) {
      const SwitchId first = random.below(k_switches - 10);
      units[group] = {{group}, from_to(first, first + 1 + random.below(10))};
    }
    std::vector<uint32_t> times(units.size(), 0);
    for (const Unit& unit : joined_in_pairs(units, k_switches, k_likeness)) {
      ASSERT_LE(unit.groups.size(), 2u);
      pairs += unit.groups.size() - 1;
      std::vector<SwitchId> expected;
      for (const GroupId group : unit.groups) {
        ++times[group];
        std::ranges::copy(units[group].terminals, std::back_inserter(expected));
      }
      std::ranges::sort(expected);
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      EXPECT_EQ(unit.terminals, expected);
    }
    EXPECT_EQ(times, std::vector<uint32_t>(units.size(), 1));
  }
  EXPECT_GT(pairs, 1'000u);
}

}  // namespace
}  // namespace tutti::fabric
