#include <gtest/gtest.h>

#include <algorithm>

#include "pattern/fold.hpp"
#include "pattern/halving.hpp"

namespace tutti::pattern {
namespace {

Rank reversed_bits(Rank position, Rank count) {
  Rank reversed = 0;
  for (Rank bit = 1; bit < count; bit *= 2) reversed = reversed * 2 + ((position & bit) != 0);
  return reversed;
}

class AnyHalving : public testing::TestWithParam<HalvingOrder> {};

TEST_P(AnyHalving, PartnersGiveWhatTheOtherKeeps) {
  for (Rank count : {2, 4, 8, 64})
    for (Rank position = 0; position < count; ++position) {
      const auto steps = halving_steps(position, count, GetParam());
      ASSERT_EQ(steps.size(), ceil_log(static_cast<uint64_t>(count), 2));
      Rank blocks = count;
      for (size_t i = 0; i < steps.size(); ++i) {
        const HalvingStep other = halving_step(steps[i].partner, count, GetParam(), static_cast<Rank>(i));
        EXPECT_EQ(other.partner, position);
        EXPECT_EQ(other.given_first, steps[i].kept_first);
        EXPECT_EQ(other.given_end, steps[i].kept_end);
        EXPECT_EQ(other.kept_first, steps[i].given_first);
        blocks /= 2;
        EXPECT_EQ(steps[i].kept_end - steps[i].kept_first, blocks);
        if (i == 0) continue;
        // Both halves lie in what the step before kept.
        EXPECT_EQ(std::min(steps[i].kept_first, steps[i].given_first), steps[i - 1].kept_first);
        EXPECT_EQ(std::max(steps[i].kept_end, steps[i].given_end), steps[i - 1].kept_end);
      }
    }
}

TEST_P(AnyHalving, EndsWithTheRightBlock) {
  const bool near = GetParam() == HalvingOrder::near_first;
  for (Rank position = 0; position < 16; ++position)
    EXPECT_EQ(halving_steps(position, 16, GetParam()).back().kept_first,
              near ? reversed_bits(position, 16) : position);
}

INSTANTIATE_TEST_SUITE_P(Order, AnyHalving,
                         testing::Values(HalvingOrder::far_first, HalvingOrder::near_first));

TEST(Halving, Distances) {
  const auto far = halving_steps(5, 8, HalvingOrder::far_first);
  EXPECT_EQ(far[0].partner, 1);
  EXPECT_EQ(far[2].partner, 4);
  const auto near = halving_steps(5, 8, HalvingOrder::near_first);
  EXPECT_EQ(near[0].partner, 4);
  EXPECT_EQ(near[2].partner, 1);
  EXPECT_TRUE(halving_steps(0, 1, HalvingOrder::far_first).empty());
}

TEST(Fold, SixRanks) {
  const Fold fold(6);
  EXPECT_EQ(fold.count(), 4);
  EXPECT_EQ(fold.pair_count(), 2);
  const Rank ranks[] = {0, 2, 4, 5};
  for (Rank position = 0; position < 4; ++position) EXPECT_EQ(fold.rank(position), ranks[position]);
  EXPECT_FALSE(fold.stays(1));
  EXPECT_EQ(fold.pair(3), 2);
}

TEST(Fold, KeepsTheKeeper) {
  const Fold fold(6, 3);
  EXPECT_TRUE(fold.stays(3));
  EXPECT_FALSE(fold.stays(2));
  EXPECT_EQ(fold.rank(1), 3);
}

TEST(Fold, PositionsAreInRankOrder) {
  for (Rank p = 1; p <= 130; ++p)
    for (Rank keeper : {0, p - 1}) {
      const Fold fold(p, keeper);
      Rank staying = 0, previous = -1;
      for (Rank rank = 0; rank < p; ++rank) {
        if (!fold.stays(rank)) {
          EXPECT_EQ(fold.position(fold.pair(rank)), fold.position(rank));
          continue;
        }
        EXPECT_EQ(fold.position(rank), previous + 1);
        EXPECT_EQ(fold.rank(fold.position(rank)), rank);
        previous = fold.position(rank);
        ++staying;
      }
      EXPECT_EQ(staying, fold.count());
      EXPECT_TRUE(fold.stays(keeper));
    }
}

}  // namespace
}  // namespace tutti::pattern
