#include "pattern/bine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "pattern/knomial.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::pattern {
namespace {

constexpr Rank k_most = test::samples(1024);

std::set<Rank> run(Rank first, Rank span, Rank count) {
  std::set<Rank> positions;
  for (Rank i = 0; i < span; ++i) positions.insert((first + i) % count);
  return positions;
}

TEST(Bine, DistancesAreThoseOfThePaper) {
  const BineButterfly butterfly{64};
  std::vector<Rank> partners;
  for (Rank step = 0; step < butterfly.steps(); ++step) partners.push_back(butterfly.partner(0, step));
  EXPECT_EQ(partners, (std::vector<Rank>{1, 63, 3, 59, 11, 43}));
  EXPECT_EQ(butterfly.partner(5, 2), 2);
}

TEST(Bine, PartnersMeetRunsThatTheyDoNotShare) {
  for (Rank count = 1; count <= k_most; count *= 2) {
    const BineButterfly butterfly{count};
    for (Rank position = 0; position < count; ++position)
      for (Rank step = 0; step < butterfly.steps(); ++step) {
        const Rank partner = butterfly.partner(position, step), span = Rank{1} << step;
        ASSERT_EQ(butterfly.partner(partner, step), position);
        std::set<Rank> both = run(butterfly.first_met(position, step), span, count);
        ASSERT_TRUE(both.contains(position));
        both.merge(run(butterfly.first_met(partner, step), span, count));
        ASSERT_EQ(both, run(butterfly.first_met(position, step + 1), 2 * span, count))
            << position << " step " << step;
      }
  }
}

TEST(Bine, HalvesAreDividedBetweenPartners) {
  for (Rank count = 2; count <= k_most; count *= 2) {
    const BineButterfly butterfly{count};
    for (Rank position = 0; position < count; ++position)
      for (Rank step = 0; step < butterfly.steps(); ++step) {
        const bool upper = butterfly.keeps_upper(position, step);
        ASSERT_NE(butterfly.keeps_upper(butterfly.partner(position, step), step), upper);
        for (Rank later = step + 1; later < butterfly.steps(); ++later)
          ASSERT_EQ(butterfly.keeps_upper(butterfly.partner(position, later), step), upper)
              << position << " " << step;
      }
  }
}

TEST(Bine, TheTreeReachesEverybodyOnce) {
  for (Rank count = 1; count <= k_most; count *= 2) {
    const BineTree tree{count};
    std::vector<int> reached(static_cast<size_t>(count));
    uint64_t deepest = 0;
    for (Rank v = 0; v < count; ++v) {
      const auto subtree = run(tree.first(v), tree.span(v), count);
      std::set<Rank> inside{v};
      for (const BineTree::Child& child : tree.children(v)) {
        ++reached[static_cast<size_t>(child.position)];
        ASSERT_EQ(tree.parent(child.position), v);
        ASSERT_EQ(tree.depth(child.position), tree.depth(v) + 1);
        ASSERT_EQ(tree.first(child.position), child.first);
        ASSERT_EQ(tree.span(child.position), child.span);
        inside.merge(run(child.first, child.span, count));
      }
      ASSERT_EQ(inside, subtree) << v << " of " << count;
      deepest = std::max(deepest, tree.depth(v));
    }
    EXPECT_EQ(std::ranges::count(reached, 1), count - 1);
    EXPECT_EQ(deepest, tree.height());
  }
}

/// Distances round the ring of positions.
template <class Tree>
int64_t total_distance(const Tree& tree) {
  int64_t sum = 0;
  for (Rank v = 1; v < tree.count; ++v) {
    const int64_t apart = std::abs(v - tree.parent(v));
    sum += std::min<int64_t>(apart, tree.count - apart);
  }
  return sum;
}

TEST(Bine, MessagesTravelAThirdLess) {
  const double ratio = static_cast<double>(total_distance(BineTree{1024})) /
                       static_cast<double>(total_distance(KnomialTree{1024, 2}));
  EXPECT_NEAR(ratio, 2.0 / 3, 0.05);
}

}  // namespace
}  // namespace tutti::pattern
