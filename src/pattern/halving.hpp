#pragma once
// Recursive halving of a vector over a power of two of positions, and its reverse, recursive doubling.
//
// In every step a position keeps one half of the blocks that it is still responsible for and gives the other half to
// its partner, which does the opposite; after the last step it is responsible for one block.
//
//   far_first:  partners at distance n/2, …, 2, 1. Position v ends with block v.
//   near_first: partners at distance 1, 2, …, n/2. Position v ends with the block whose index has the bits
//               of v reversed. After each step the positions whose values are combined form a run v0,
//               v0 + 1, …, so that operators that do not commute keep their order.
//   bine:       like near_first, but at the distances of a Bine butterfly: 1, -1, 3, -5, … (bine.hpp). For operators
//               that commute.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pattern/bine.hpp"
#include "pattern/shape.hpp"

namespace tutti::pattern {

enum class HalvingOrder : uint8_t { far_first, near_first, bine };

struct HalvingStep {
  Rank partner;
  Rank kept_first, kept_end;    // blocks [kept_first, kept_end)
  Rank given_first, given_end;  // the other half
  bool operator==(const HalvingStep&) const = default;
};

/// Step `index` of `position` among `count` positions (a power of two), one block each.
constexpr HalvingStep halving_step(Rank position, Rank count, HalvingOrder order, Rank index) {
  const auto keeps_upper = [=](Rank step, Rank half) {
    if (order == HalvingOrder::bine) return BineButterfly{count}.keeps_upper(position, step);
    return (position & (order == HalvingOrder::far_first ? half : Rank{1} << step)) != 0;
  };
  Rank first = 0, half = count / 2;
  for (Rank step = 0; step < index; ++step, half /= 2)
    if (keeps_upper(step, half)) first += half;
  const bool upper = keeps_upper(index, half);
  const Rank middle = first + half, end = middle + half;
  const Rank distance = order == HalvingOrder::far_first ? half : Rank{1} << index;
  return {.partner = order == HalvingOrder::bine ? BineButterfly{count}.partner(position, index)
                                                 : position ^ distance,
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
