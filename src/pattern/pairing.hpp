#pragma once
// A schedule of all pairs of ranks in rounds in which each rank has at most one partner: a round-robin tournament.

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Power of two: partner = rank xor (round + 1), p-1 rounds. Other even numbers: p-1 rounds (the circle method: the
/// last rank keeps its position and the others rotate). Odd numbers: p rounds, in each of which one rank has no
/// partner.
struct Pairing {
  Rank count;

  constexpr Rank rounds() const { return count % 2 == 0 ? count - 1 : (count > 1 ? count : 0); }

  /// The partner of `rank` in `round`; `rank` itself if it has none.
  constexpr Rank partner(Rank rank, Rank round) const {
    if (is_power_of_two(static_cast<uint64_t>(count))) return rank ^ (round + 1);
    if (count % 2 != 0) return opposite(rank, round, count);
    const Rank turning = count - 1, last = count - 1;
    // A rank that would be paired with itself is paired with the last rank: 2·rank = round modulo an odd number, in
    // which the inverse of 2 is count / 2.
    if (rank == last) return static_cast<Rank>(static_cast<int64_t>(round) * (count / 2) % turning);
    const Rank other = opposite(rank, round, turning);
    return other == rank ? last : other;
  }

 private:
  static constexpr Rank opposite(Rank rank, Rank round, Rank modulus) {
    return (round - rank + modulus) % modulus;
  }
};

}  // namespace tutti::pattern
