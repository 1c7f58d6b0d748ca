#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pattern/knomial.hpp"

namespace tutti::pattern {
namespace {

TEST(KnomialTree, BinomialOfEight) {
  const KnomialTree tree{8, 2};
  using Children = std::vector<KnomialTree::Child>;
  EXPECT_EQ(tree.children(0), (Children{{1, 1}, {2, 2}, {4, 4}}));
  EXPECT_EQ(tree.children(4), (Children{{5, 1}, {6, 2}}));
  EXPECT_EQ(tree.children(7), Children{});
  EXPECT_EQ(tree.parent(7), 6);
  EXPECT_EQ(tree.parent(6), 4);
  EXPECT_EQ(tree.height(), 3u);
}

TEST(KnomialTree, TruncatedSubtrees) {
  const KnomialTree tree{6, 2};
  using Children = std::vector<KnomialTree::Child>;
  EXPECT_EQ(tree.children(0), (Children{{1, 1}, {2, 2}, {4, 2}}));
  EXPECT_EQ(tree.span(0), 6);
  EXPECT_EQ(tree.span(4), 2);
}

class AnyTree : public testing::TestWithParam<int> {};

/// Parent, children, span and height are written independently of each other: they must tell of the same
/// tree.
TEST_P(AnyTree, IsConsistent) {
  const Rank radix = GetParam();
  for (Rank count = 1; count <= 130; ++count) {
    const KnomialTree tree{count, radix};
    std::vector<uint64_t> depth(static_cast<size_t>(count), 0);
    for (Rank v = 0; v < count; ++v) {
      if (v > 0) depth[static_cast<size_t>(v)] = depth[static_cast<size_t>(tree.parent(v))] + 1;
      const auto children = tree.children(v);
      ASSERT_EQ(children.size(), tree.child_count(v)) << v << " of " << count;
      // The subtrees of the children follow the position itself and each other.
      Rank next = v + 1;
      for (const auto& child : children) {
        ASSERT_EQ(child.position, next);
        ASSERT_EQ(tree.parent(child.position), v);
        ASSERT_EQ(child.span, tree.span(child.position));
        next += child.span;
      }
      ASSERT_EQ(next, v + tree.span(v));
    }
    ASSERT_EQ(*std::max_element(depth.begin(), depth.end()), tree.height()) << count;
    ASSERT_LE(tree.height(), ceil_log(static_cast<uint64_t>(count), static_cast<uint64_t>(radix)));
  }
}

INSTANTIATE_TEST_SUITE_P(Radix, AnyTree, testing::Values(2, 3, 4, 5, 8, 64, 1000));

TEST(KnomialTree, HugeCountsDoNotOverflow) {
  const KnomialTree tree{INT32_MAX, 1 << 16};
  EXPECT_EQ(tree.height(), 2u);
  EXPECT_EQ(tree.parent(INT32_MAX - 1), INT32_MAX - 1 - ((1 << 16) - 2));
  const KnomialTree binomial{INT32_MAX, 2};
  EXPECT_EQ(binomial.child_count(0), 31u);
  EXPECT_EQ(binomial.children(0).back().position, 1 << 30);
}

}  // namespace
}  // namespace tutti::pattern
