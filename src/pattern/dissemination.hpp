#pragma once
// k-way dissemination: the peers of each round. After the last round every position has received a signal, directly or
// indirectly, from every other position.

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Offsets of the radix - 1 peers of a round.
enum class DisseminationShape : uint8_t {
  forward,    // i + w, i + 2w, …                for weights w = 1, radix, radix², …
  symmetric,  // i + w, i - w, i + 2w, i - 2w, …; radix 3 gives the two-way form of a NIC barrier
};

/// Distances per round: in round s position i signals i + d and receives the signal of i - d (mod count), for each d in
/// the s-th list. Distances are in (0, count), and those of one round are distinct. There are ⌈log_radix count⌉ rounds,
/// which is the minimum: radix - 1 signals multiply the number of positions known to a position by radix at most. The
/// last round has only the distances that are still needed. `symmetric` requires an odd radix. `Position` may be a
/// 32-bit type, signed or unsigned.
///
/// Why every position is reached: after each round the positions known to a position form a run that contains it. In
/// both shapes the runs of the peers of the next round are adjacent to each other and to its own run, so that they join
/// to one run. A run of length `count` contains all positions.
template <std::integral Position>
std::vector<std::vector<Position>> dissemination_rounds(Position count, std::type_identity_t<Position> radix,
                                                        DisseminationShape shape) {
  static_assert(sizeof(Position) <= 4, "distances are computed in 64 bits");
  std::vector<std::vector<Position>> rounds;
  // After the rounds so far each position knows a run of `known` positions, itself included.
  for (int64_t known = 1; known < int64_t{count};) {
    std::vector<Position>& distances = rounds.emplace_back();
    const int64_t weight = known;
    for (int64_t j = 1; j < int64_t{radix} && known < int64_t{count}; ++j, known += weight) {
      const bool back = shape == DisseminationShape::symmetric && j % 2 == 0;
      const int64_t distance = weight * (shape == DisseminationShape::forward ? j : (j + 1) / 2);
      distances.push_back(static_cast<Position>(back ? int64_t{count} - distance : distance));
    }
  }
  return rounds;
}

}  // namespace tutti::pattern
