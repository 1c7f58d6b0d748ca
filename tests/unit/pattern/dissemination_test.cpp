#include <gtest/gtest.h>

#include <set>

#include "pattern/dissemination.hpp"

namespace tutti::pattern {
namespace {

using Rounds = std::vector<std::vector<Rank>>;

/// Distances back to the positions heard of after each round.
std::vector<std::set<Rank>> heard_after(const Rounds& rounds, Rank count) {
  std::vector<std::set<Rank>> heard{{0}};
  for (const auto& distances : rounds) {
    std::set<Rank> now = heard.back();
    for (Rank d : distances)
      for (Rank known : heard.back()) now.insert((known + d) % count);
    heard.push_back(now);
  }
  return heard;
}

TEST(Dissemination, Examples) {
  EXPECT_EQ(dissemination_rounds(1, 2, DisseminationShape::forward), Rounds{});
  EXPECT_EQ(dissemination_rounds(5, 2, DisseminationShape::forward), (Rounds{{1}, {2}, {4}}));
  EXPECT_EQ(dissemination_rounds(5, 4, DisseminationShape::forward), (Rounds{{1, 2, 3}, {4}}));
  // The two-way form: i + 3^s and i - 3^s.
  EXPECT_EQ(dissemination_rounds(9, 3, DisseminationShape::symmetric), (Rounds{{1, 8}, {3, 6}}));
}

class AnyDissemination : public testing::TestWithParam<std::tuple<DisseminationShape, int>> {};

TEST_P(AnyDissemination, ReachesEverybodyWithoutUselessMessages) {
  const auto [shape, radix] = GetParam();
  for (Rank count = 1; count <= 130; ++count) {
    const Rounds rounds = dissemination_rounds(count, radix, shape);
    EXPECT_EQ(rounds.size(), ceil_log(static_cast<uint64_t>(count), static_cast<uint64_t>(radix)));
    const auto heard = heard_after(rounds, count);
    EXPECT_EQ(heard.back().size(), static_cast<size_t>(count)) << count;
    for (size_t r = 0; r + 1 < rounds.size(); ++r)
      EXPECT_EQ(rounds[r].size(), static_cast<size_t>(radix - 1));
    // In the last round, without any one message a position would be missed.
    for (size_t left_out = 0; !rounds.empty() && left_out < rounds.back().size(); ++left_out) {
      Rounds fewer = rounds;
      fewer.back().erase(fewer.back().begin() + static_cast<long>(left_out));
      EXPECT_LT(heard_after(fewer, count).back().size(), static_cast<size_t>(count))
          << "distance " << rounds.back()[left_out] << " of " << count << " is useless";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forward, AnyDissemination,
                         testing::Combine(testing::Values(DisseminationShape::forward),
                                          testing::Values(2, 3, 4, 7, 64)));
INSTANTIATE_TEST_SUITE_P(Symmetric, AnyDissemination,
                         testing::Combine(testing::Values(DisseminationShape::symmetric),
                                          testing::Values(3, 5, 7, 63)));

}  // namespace
}  // namespace tutti::pattern
