#pragma once
// Distances and rounds of Bruck's algorithms (Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all
// communications in multiport message-passing systems, IEEE TPDS 1997).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Blocks 1 … count-1 (numbered by distance) move by their digits in base `radix`, lowest digit first.
struct Bruck {
  int64_t count;
  int64_t radix = 2;

  /// The highest distance radix^k below `count` > 1.
  constexpr int64_t last_distance() const {
    int64_t distance = 1;
    while (distance * radix < count) distance *= radix;
    return distance;
  }

  /// Number of messages on the longest chain of dependent messages. A message at distance d carries blocks with all
  /// lower digits and waits for the messages that moved these; the last messages carry fewer blocks and may have
  /// shorter chains.
  constexpr uint32_t rounds() const {
    if (count <= 1) return 0;
    const int64_t last = last_distance();
    const int64_t carried = std::min(last, count - last);
    return std::max(ceil_log(static_cast<uint64_t>(last), static_cast<uint64_t>(radix)),
                    1 + ceil_log(static_cast<uint64_t>(carried), static_cast<uint64_t>(radix)));
  }

  /// The blocks whose digit at `distance` = radix^k is `digit`, ascending.
  std::vector<Rank> moving(int64_t distance, int64_t digit) const {
    std::vector<Rank> found;
    for (int64_t run = digit * distance; run < count; run += distance * radix)
      for (int64_t block = run; block < std::min(run + distance, count); ++block)
        found.push_back(static_cast<Rank>(block));
    return found;
  }

  /// Number of blocks whose digit at `distance` = radix^k is not zero.
  constexpr int64_t moving_count(int64_t distance) const {
    const int64_t period = distance * radix;
    const int64_t rest = count % period;  // NOLINT(clang-analyzer-core.DivideZero): the radix is 2 at least
    return count / period * (period - distance) + std::max<int64_t>(0, rest - distance);
  }
  /// The same summed over all distances: the number of blocks that a member sends.
  constexpr uint64_t moving_count() const {
    uint64_t sum = 0;
    for (int64_t distance = 1; distance < count; distance *= radix)
      sum += static_cast<uint64_t>(moving_count(distance));
    return sum;
  }
};

}  // namespace tutti::pattern
