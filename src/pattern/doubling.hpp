#pragma once
// The butterfly of recursive doubling: in step j partners are at distance 2^j.

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// `count` is a power of two. The same functions as BineButterfly (bine.hpp).
struct DoublingButterfly {
  Rank count = 1;

  constexpr Rank steps() const { return static_cast<Rank>(ceil_log(static_cast<uint64_t>(count), 2)); }
  constexpr Rank partner(Rank position, Rank step) const { return position ^ (Rank{1} << step); }
  /// First position of the run that `position` has exchanged with after `steps` steps; the run has 2^steps positions.
  constexpr Rank first_met(Rank position, Rank steps) const { return position & ~((Rank{1} << steps) - 1); }
};

}  // namespace tutti::pattern
