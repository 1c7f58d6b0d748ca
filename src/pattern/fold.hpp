#pragma once
// Maps any number of ranks to a power of two of positions (Rabenseifner 2004).
//
// The first ranks form pairs of neighbours; one rank of each pair stays and represents both. Because the two are
// neighbours, positions are in rank order, and the order of operands is kept for operators that do not commute.
//
//   6 ranks: (0 1) (2 3) 4 5  ->  positions 0 1 2 3

#include "pattern/shape.hpp"

namespace tutti::pattern {

class Fold {
 public:
  /// `keeper` is a rank that must stay; otherwise the lower rank of each pair stays.
  constexpr explicit Fold(Rank rank_count, Rank keeper = 0)
      : count_(static_cast<Rank>(floor_power_of_two(static_cast<uint64_t>(rank_count)))),
        pairs_(rank_count - count_),
        keeper_(keeper) {}

  /// Number of positions: the largest power of two that does not exceed the number of ranks.
  constexpr Rank count() const { return count_; }
  /// Number of positions that represent a pair: [0, pair_count()).
  constexpr Rank pair_count() const { return pairs_; }

  constexpr bool is_paired(Rank rank) const { return rank < 2 * pairs_; }
  /// The other rank of a pair.
  constexpr Rank pair(Rank rank) const { return rank ^ 1; }
  /// Position that represents a rank, alone or as part of a pair.
  constexpr Rank position(Rank rank) const { return is_paired(rank) ? rank / 2 : rank - pairs_; }
  /// The rank at a position.
  constexpr Rank rank(Rank position) const {
    if (position >= pairs_) return position + pairs_;
    return 2 * position + (keeper_ == 2 * position + 1);
  }
  constexpr bool stays(Rank rank) const { return this->rank(position(rank)) == rank; }

 private:
  Rank count_;
  Rank pairs_;
  Rank keeper_;
};

}  // namespace tutti::pattern
