// Tests the partners in pairings, neighbour exchange, and Bruck's digits.

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "pattern/bruck.hpp"
#include "pattern/neighbour_exchange.hpp"
#include "pattern/pairing.hpp"

namespace tutti::pattern {
namespace {

TEST(Pairing, EverybodyMeetsEverybodyOnceAndNobodyMeetsTwoAtATime) {
  for (Rank p = 1; p <= 40; ++p) {
    const Pairing pairing{p};
    std::set<std::pair<Rank, Rank>> met;
    for (Rank round = 0; round < pairing.rounds(); ++round) {
      int resting = 0;
      for (Rank r = 0; r < p; ++r) {
        const Rank partner = pairing.partner(r, round);
        ASSERT_GE(partner, 0);
        ASSERT_LT(partner, p);
        ASSERT_EQ(pairing.partner(partner, round), r) << p << " ranks, round " << round;
        if (partner == r)
          ++resting;
        else
          EXPECT_TRUE(met.emplace(r, partner).second)
              << p << " ranks: " << r << " meets " << partner << " twice";
      }
      EXPECT_EQ(resting, p % 2) << p << " ranks, round " << round;
    }
    EXPECT_EQ(met.size(), static_cast<size_t>(p) * static_cast<size_t>(p - 1));
  }
}

TEST(Pairing, NoRoundTooMany) {
  EXPECT_EQ(Pairing{1}.rounds(), 0);
  EXPECT_EQ(Pairing{2}.rounds(), 1);
  EXPECT_EQ(Pairing{6}.rounds(), 5);
  EXPECT_EQ(Pairing{7}.rounds(), 7);
  EXPECT_EQ(Pairing{8}.rounds(), 7);
}

TEST(NeighbourExchange, SendsWhatItHasAndEndsWithAllPairs) {
  for (Rank p = 2; p <= 40; p += 2) {
    const NeighbourExchange pattern{p};
    std::vector<std::set<Rank>> pairs(static_cast<size_t>(p));
    for (Rank r = 0; r < p; ++r) pairs[static_cast<size_t>(r)] = {r / 2};
    for (Rank round = 1; round < pattern.rounds(); ++round) {
      auto after = pairs;
      for (Rank r = 0; r < p; ++r) {
        const Rank partner = pattern.partner(r, round), pair = pattern.pair_sent(r, round);
        EXPECT_EQ(pattern.partner(partner, round), r);
        EXPECT_TRUE(pairs[static_cast<size_t>(r)].contains(pair)) << r << " sends a pair that it has not got";
        EXPECT_TRUE(after[static_cast<size_t>(partner)].insert(pair).second)
            << partner << " has this pair already";
      }
      pairs = after;
    }
    for (const auto& held : pairs) EXPECT_EQ(held.size(), static_cast<size_t>(p / 2));
  }
}

TEST(Bruck, EveryBlockMovesByAllItsDigits) {
  for (int64_t radix = 2; radix <= 6; ++radix)
    for (Rank p = 1; p <= 70; ++p) {
      const Bruck bruck{p, radix};
      std::vector<int64_t> moved(static_cast<size_t>(p), 0);
      for (int64_t distance = 1; distance < p; distance *= radix) {
        size_t moving = 0;
        for (int64_t digit = 1; digit < radix; ++digit)
          for (Rank block : bruck.moving(distance, digit)) {
            moved[static_cast<size_t>(block)] += digit * distance;
            ++moving;
          }
        EXPECT_EQ(static_cast<int64_t>(moving), bruck.moving_count(distance));
      }
      for (Rank block = 0; block < p; ++block) EXPECT_EQ(moved[static_cast<size_t>(block)], block);
    }
}

TEST(Bruck, PartialLastDistanceMaySaveARound) {
  EXPECT_EQ((Bruck{1}.rounds()), 0u);
  EXPECT_EQ((Bruck{2}.rounds()), 1u);
  EXPECT_EQ((Bruck{5}.rounds()), 2u);  // block 4 waits for nothing, block 3 for block 1
  EXPECT_EQ((Bruck{7}.rounds()), 3u);
  EXPECT_EQ((Bruck{8}.rounds()), 3u);
  EXPECT_EQ((Bruck{9, 3}.rounds()), 2u);
  EXPECT_EQ((Bruck{8, 8}.rounds()), 1u);
}

}  // namespace
}  // namespace tutti::pattern
