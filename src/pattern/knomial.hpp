#pragma once
// The k-nomial tree: the generalisation of the binomial tree to positions written in any radix.
//
//   radix 2, 8 positions      radix 3, 9 positions
//        0                          0
//      / | \                     / / \ \ .
//     4  2  1                   6 3   2 1
//    /|  |                     /| |\ .
//   6 5  3                    8 7 5 4
//   |
//   7
//
// The children of v are v + j·w for 0 < j < radix and the digit weights w = 1, radix, radix², … below the weight of the
// lowest nonzero digit of v. The subtree of v + j·w is the run of positions [v + j·w, v + j·w + w).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

struct KnomialTree {
  struct Child {
    Rank position;
    Rank span;  // number of positions in its subtree, itself included
    bool operator==(const Child&) const = default;
  };

  Rank count = 1;
  Rank radix = 2;

  /// Parent of v > 0: v with its lowest nonzero digit set to zero.
  constexpr Rank parent(Rank v) const {
    int64_t weight = 1;
    while (v / weight % radix == 0) weight *= radix;
    return static_cast<Rank>(v - v / weight % radix * weight);
  }

  /// Number of positions in the subtree of v, itself included: the run that starts at first(v).
  constexpr Rank span(Rank v) const { return std::min(reach(v), count - v); }
  constexpr Rank first(Rank v) const { return v; }

  /// Children in ascending order, hence the smallest subtrees first.
  std::vector<Child> children(Rank v) const {
    std::vector<Child> found;
    for (int64_t weight = 1; weight < reach(v) && v + weight < count; weight *= radix)
      for (int64_t child = v + weight; child < v + radix * weight && child < count; child += weight)
        found.push_back(
            {static_cast<Rank>(child), static_cast<Rank>(std::min<int64_t>(weight, count - child))});
    return found;
  }

  /// children(v).size() without the list.
  constexpr uint64_t child_count(Rank v) const {
    uint64_t found = 0;
    for (int64_t weight = 1; weight < reach(v) && v + weight < count; weight *= radix)
      found += static_cast<uint64_t>(std::min<int64_t>(radix - 1, (count - v - 1) / weight));
    return found;
  }

  /// Number of messages from the root to v: the number of nonzero digits of v.
  constexpr uint64_t depth(Rank v) const {
    uint64_t digits = 0;
    for (; v > 0; v /= radix) digits += v % radix != 0;
    return digits;
  }

  /// Number of messages on the longest path from the root to a leaf: the maximum number of nonzero digits of a
  /// position.
  constexpr uint64_t height() const {
    uint64_t digits = 0;
    // 1, 11, 111, … in this radix are the lowest positions with one, two, three nonzero digits.
    for (int64_t ones = 1; ones < count; ones = ones * radix + 1) ++digits;
    return digits;
  }

 private:
  /// Weight of the lowest nonzero digit of v, which is larger than the distance to any child. No bound for the root.
  constexpr Rank reach(Rank v) const {
    if (v == 0) return count;
    int64_t weight = 1;
    while (v / weight % radix == 0) weight *= radix;
    return static_cast<Rank>(weight);
  }
};

}  // namespace tutti::pattern
