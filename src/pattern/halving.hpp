#pragma once
// Recursive halving of a vector over a power of two of positions, and recursive doubling, which is the way
// back.
//
// In every step a position keeps one half of the blocks that it is still responsible for and gives the other
// half to its partner, which does the opposite; after the last step it is responsible for one block.
//
//   far_first:  partners at distance n/2, …, 2, 1. Position v ends with block v.
//   near_first: partners at distance 1, 2, …, n/2. Position v ends with the block whose index has the bits
//               of v reversed. After each step the positions whose values are combined form a run v0,
//               v0 + 1, …, so that operators that do not commute keep their order.

#include <cstddef>
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

/// Step `index` of `position` among `count` positions (a power of two), one block each.
constexpr HalvingStep halving_step(Rank position, Rank count, HalvingOrder order, Rank index) {
  Rank first = 0, half = count / 2, distance = 0;
  for (Rank i = 0;; ++i, half /= 2) {
    distance = order == HalvingOrder::far_first ? half : Rank{1} << i;
    if (i == index) break;
    if (position & distance) first += half;
  }
  const bool upper = (position & distance) != 0;
  const Rank middle = first + half, end = middle + half;
  return {.partner = position ^ distance,
          .kept_first = upper ? middle : first,
          .kept_end = upper ? end : middle,
          .given_first = upper ? first : middle,
          .given_end = upper ? middle : end};
}

/// All log2(count) steps of `position`.
inline std::vector<HalvingStep> halving_steps(Rank position, Rank count, HalvingOrder order) {
  std::vector<HalvingStep> steps(ceil_log(static_cast<uint64_t>(count), 2));
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i] = halving_step(position, count, order, static_cast<Rank>(i));
  return steps;
}

}  // namespace tutti::pattern
