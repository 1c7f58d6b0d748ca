#pragma once
// Recursive multiplying: all-to-all exchange in groups whose sizes are factors of the number of positions, so that all
// ranks end with the same value, computed in the same order (recursive doubling is radix 2; Ruefenacht, Bull, Booth,
// Parallel Computing 2017). Surplus ranks are folded into positions before the first round and receive the result after
// the last one.
//
// Positions are written in mixed radix; in round s the positions that differ only in digit s exchange. After the round
// they hold the same run of positions, so that the order of operands is kept for operators that do not commute.
//
//   12 positions, radix 4: factors 4, 3      rounds (0 1 2 3) (4 5 6 7) (8 9 10 11), (0 4 8) (1 5 9) …
//
//   7 ranks, radix 2: factors 2, 2, folded   (0 1) (2 3) (4 5) 6  ->  positions 0 1 2 3
//
// Dissemination cannot replace it: if p is not a power of the radix it counts some ranks twice, and every rank reduces
// in a different order.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Writes at most `most` factors in [2, radix] whose product is n, largest first; returns false if there are none.
inline bool factors_up_to(uint64_t n, uint64_t radix, size_t most, std::vector<uint32_t>* factors) {
  if (n == 1) return true;
  if (most == 0) return false;
  for (uint64_t factor = radix; factor >= 2; --factor) {
    if (n % factor != 0) continue;
    factors->push_back(static_cast<uint32_t>(factor));
    if (factors_up_to(n / factor, factor, most - 1, factors)) return true;
    factors->pop_back();
  }
  return false;
}

/// `count` ranks (1 or more), groups of at most `radix` (2 or more).
///
/// ⌈log_radix count⌉ rounds if the count is a product of that many factors up to the radix; otherwise a fold,
/// ⌊log_radix count⌋ rounds, and the return of the result to the folded ranks.
class Multiplying {
 public:
  Multiplying(uint32_t count, uint32_t radix) : count_(count) {
    const uint32_t rounds = ceil_log(count, radix);
    if (!factors_up_to(count, radix, rounds, &factors_)) factors_.assign(rounds - 1, radix);
    for (const uint32_t factor : factors_) positions_ *= factor;
  }

  const std::vector<uint32_t>& factors() const { return factors_; }
  /// Each position represents a run of ranks; the first rank of the run is the keeper.
  uint32_t positions() const { return positions_; }
  bool is_folded() const { return positions_ < count_; }

  uint32_t keeper(uint32_t position) const {
    return position * (count_ / positions_) + (position < long_runs() ? position : long_runs());
  }
  /// Number of ranks that a position represents, its keeper included: at most `radix`.
  uint32_t run(uint32_t position) const { return count_ / positions_ + (position < long_runs() ? 1 : 0); }
  uint32_t position(uint32_t rank) const {
    const uint32_t longer = count_ / positions_ + 1, in_long_runs = long_runs() * longer;
    if (rank < in_long_runs) return rank / longer;
    return long_runs() + (rank - in_long_runs) / (longer - 1);
  }

  /// The group of a position in a round, in rank order, itself included.
  std::vector<uint32_t> group(uint32_t position, size_t round) const {
    uint32_t weight = 1;
    for (size_t i = 0; i < round; ++i) weight *= factors_[i];
    const uint32_t digit = position / weight % factors_[round];
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < factors_[round]; ++i) members.push_back(position - digit * weight + i * weight);
    return members;
  }

 private:
  /// Number of positions that represent one rank more than the others; they come first.
  uint32_t long_runs() const { return count_ % positions_; }

  uint32_t count_;
  uint32_t positions_ = 1;
  std::vector<uint32_t> factors_;
};

}  // namespace tutti::pattern
