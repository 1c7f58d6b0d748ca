// Orders in which the parts of a buffer are used.

#include "pattern/access_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tutti::pattern {
namespace {

using Parts = std::vector<uint32_t>;

TEST(AccessOrder, OneAfterTheOther) {
  EXPECT_EQ(AccessOrder{}.sequence(4), (Parts{0, 1, 2, 3}));
  EXPECT_EQ((AccessOrder{.is_backward = true}).sequence(4), (Parts{3, 2, 1, 0}));
}

TEST(AccessOrder, InStrides) {
  EXPECT_EQ((AccessOrder{.stride = 4}).sequence(12), (Parts{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ((AccessOrder{.is_backward = true, .stride = 3}).sequence(5), (Parts{4, 1, 3, 0, 2}));
}

TEST(AccessOrder, EveryPartOnce) {
  for (uint32_t count = 0; count < 40; ++count)
    for (uint64_t stride = 1; stride < 50; ++stride)
      for (const bool is_backward : {false, true}) {
        Parts parts = AccessOrder{is_backward, stride}.sequence(count);
        std::ranges::sort(parts);
        Parts all(count);
        std::iota(all.begin(), all.end(), 0u);
        ASSERT_EQ(parts, all) << count << " parts, stride " << stride;
      }
}

}  // namespace
}  // namespace tutti::pattern
