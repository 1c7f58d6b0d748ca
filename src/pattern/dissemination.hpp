#pragma once
// k-way dissemination: who signals whom so that everybody hears of everybody.

#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Where the radix - 1 peers of a round stand.
enum class DisseminationShape : uint8_t {
  forward,    // i + w, i + 2w, …                for weights w = 1, radix, radix², …
  symmetric,  // i + w, i - w, i + 2w, i - 2w, …; with radix 3 the two-way form of a NIC barrier
};

/// Distances per round: in round s position i signals i + d and hears from i - d (mod count), for each d in
/// the s-th list. Distances are in (0, count). ⌈log_radix count⌉ rounds; the last one has only the distances
/// that still bring news. `symmetric` needs an odd radix.
inline std::vector<std::vector<Rank>> dissemination_rounds(Rank count, Rank radix, DisseminationShape shape) {
  std::vector<std::vector<Rank>> rounds;
  // After the rounds so far a position has heard of a run of `known` positions, itself included.
  for (int64_t known = 1; known < count;) {
    std::vector<Rank>& distances = rounds.emplace_back();
    const int64_t weight = known;
    for (Rank j = 1; j < radix && known < count; ++j, known += weight) {
      const bool back = shape == DisseminationShape::symmetric && j % 2 == 0;
      const int64_t distance = weight * (shape == DisseminationShape::forward ? j : (j + 1) / 2);
      distances.push_back(static_cast<Rank>(back ? count - distance : distance));
    }
  }
  return rounds;
}

}  // namespace tutti::pattern
