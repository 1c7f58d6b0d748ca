#pragma once
// Recursive halving of a vector over a power of two of positions, and recursive doubling, which is the way back.
//
// In every step a position keeps one half of the blocks that it is still responsible for and gives the other half to
// its partner, which does the opposite; after the last step it is responsible for one block.
//
//   far_first:  partners at distance n/2, …, 2, 1. Position v ends with block v.
//   near_first: partners at distance 1, 2, …, n/2. Position v ends with the block whose index is v with its bits
//               reversed. After each step the positions whose values are combined form a run v0, v0 + 1, …, so that
//               operators that do not commute keep their order.

#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

enum class HalvingOrder : uint8_t { far_first, near_first };

struct HalvingStep {
  Rank partner;
  Rank kept_first, kept_end;    // blocks [kept_first, kept_end)
  Rank given_first, given_end;  // the other half
  bool operator==(const HalvingStep&) const = default;
};

/// The steps of `position` among `count` positions (a power of two), one block each.
inline std::vector<HalvingStep> halving_steps(Rank position, Rank count, HalvingOrder order) {
  std::vector<HalvingStep> steps;
  Rank first = 0;
  for (Rank half = count / 2; half > 0; half /= 2) {
    const Rank distance = order == HalvingOrder::far_first ? half : count / 2 / half;
    const Rank middle = first + half;
    const bool upper = (position & distance) != 0;
    steps.push_back({.partner = position ^ distance,
                     .kept_first = upper ? middle : first,
                     .kept_end = upper ? middle + half : middle,
                     .given_first = upper ? first : middle,
                     .given_end = upper ? middle : middle + half});
    first = steps.back().kept_first;
  }
  return steps;
}

}  // namespace tutti::pattern
