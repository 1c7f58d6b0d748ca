#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pattern/multiplying.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::pattern {
namespace {

TEST(Multiplying, Examples) {
  const Multiplying twelve(12, 4);
  EXPECT_EQ(twelve.factors(), (std::vector<uint32_t>{4, 3}));
  EXPECT_FALSE(twelve.is_folded());
  EXPECT_EQ(twelve.group(5, 0), (std::vector<uint32_t>{4, 5, 6, 7}));
  EXPECT_EQ(twelve.group(5, 1), (std::vector<uint32_t>{1, 5, 9}));

  const Multiplying seven(7, 2);
  EXPECT_EQ(seven.factors(), (std::vector<uint32_t>{2, 2}));
  EXPECT_TRUE(seven.is_folded());
  EXPECT_EQ(seven.position(6), 3U);
  EXPECT_EQ(seven.keeper(2), 4U);
  EXPECT_EQ(seven.run(0), 2U);
  EXPECT_EQ(seven.run(3), 1U);
}

TEST(Multiplying, PositionsSpeakForRunsOfAtMostRadixRanks) {
  for (uint32_t radix = 2; radix <= 16; ++radix)
    for (uint32_t count = 1; count <= 700; ++count) {
      const Multiplying shape(count, radix);
      const auto& factors = shape.factors();
      ASSERT_EQ(std::accumulate(factors.begin(), factors.end(), 1U, std::multiplies<>()), shape.positions());
      ASSERT_LE(factors.size() + (shape.is_folded() ? 1 : 0), ceil_log(count, radix))
          << count << " " << radix;
      uint32_t next = 0;
      for (uint32_t position = 0; position < shape.positions(); ++position) {
        ASSERT_EQ(shape.keeper(position), next);
        ASSERT_LE(shape.run(position), radix);
        for (uint32_t i = 0; i < shape.run(position); ++i) ASSERT_EQ(shape.position(next++), position);
      }
      ASSERT_EQ(next, count);
    }
}

TEST(Multiplying, EveryRoundJoinsRunsToLongerRuns) {
  // Proof by induction: before a round the positions of an aligned run of `length` hold that run. The groups join
  // adjacent runs.
  for (const uint32_t radix : {2U, 3U, 5U, 16U})
    for (uint32_t count = 2; count <= test::samples(300U); ++count) {
      const Multiplying shape(count, radix);
      uint32_t length = 1;
      for (size_t round = 0; round < shape.factors().size(); ++round) {
        for (uint32_t position = 0; position < shape.positions(); ++position) {
          const auto group = shape.group(position, round);
          ASSERT_EQ(group.size(), shape.factors()[round]);
          ASSERT_TRUE(std::ranges::count(group, position) == 1);
          for (size_t i = 0; i < group.size(); ++i) {
            ASSERT_EQ(group[i] / length, group[0] / length + i) << count << " " << radix;
            ASSERT_EQ(shape.group(group[i], round), group);
          }
          ASSERT_EQ(group[0] / length % shape.factors()[round], 0U);
        }
        length *= shape.factors()[round];
      }
      ASSERT_EQ(length, shape.positions());
    }
}

}  // namespace
}  // namespace tutti::pattern
