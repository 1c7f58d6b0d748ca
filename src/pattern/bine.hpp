#pragma once
// Bine trees and butterflies (De Sensi et al., SC 2025): binomial trees and butterflies whose distances are 1, -1, 3,
// -5, 11, … instead of 1, 2, 4, 8, 16, …. The distances are a third shorter, so that less traffic crosses the long
// cables of a network in which ranks with near numbers are close to each other.
//
//   partners of even positions (odd ones: in the opposite direction), 8 positions
//   step 0 (1)    0 ◄─► 1   2 ◄─► 3   4 ◄─► 5   6 ◄─► 7
//   step 1 (-1)   0 ◄─► 7   2 ◄─► 1   4 ◄─► 3   6 ◄─► 5
//   step 2 (3)    0 ◄─► 3   2 ◄─► 5   4 ◄─► 7   6 ◄─► 1
//
// After steps 0 … j - 1 a position has exchanged with the run of 2^j positions around it, which may wrap around. The
// tree takes the steps in reverse order: position 0 begins with the last step, and a position that is reached in step j
// continues with the steps below j, inside that same run.

#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// `count` is a power of two.
struct BineButterfly {
  Rank count = 1;

  constexpr Rank steps() const { return static_cast<Rank>(ceil_log(static_cast<uint64_t>(count), 2)); }

  constexpr Rank partner(Rank position, Rank step) const {
    return wrapped(position % 2 == 0 ? position + distance(step) : position - distance(step));
  }

  /// Whether `position` keeps the upper half of its blocks when partners divide them in step 0, 1, …. Exactly one of
  /// two partners keeps the upper half, and all positions that the two meet in later steps decide as they do: modulo
  /// 2^(step + 2) all later distances are equal, so that a position and its later partners share one even residue.
  constexpr bool keeps_upper(Rank position, Rank step) const {
    if (step + 1 == steps()) return position % 2 != 0;
    const Rank residue = position % 2 == 0 ? position : wrapped(position - distance(steps()));
    return (residue >> (step + 1) & 1) != 0;
  }

  /// First position of the run that `position` has exchanged with after `steps` steps; the run has 2^steps positions.
  constexpr Rank first_met(Rank position, Rank steps) const {
    int64_t behind = 0;  // 2 + 8 + 32 + …, below 2^steps
    for (Rank step = 1; step < steps; step += 2) behind += int64_t{1} << step;
    const int64_t ahead = (int64_t{1} << steps) - 1 - behind;
    return wrapped(position - (position % 2 == 0 ? behind : ahead));
  }

 private:
  /// 1 - 2 + 4 - … ± 2^step
  static constexpr int64_t distance(Rank step) {
    const int64_t power = int64_t{1} << (step + 1);
    return (1 - (step % 2 == 0 ? -power : power)) / 3;
  }
  constexpr Rank wrapped(int64_t position) const {
    return static_cast<Rank>((position % count + count) % count);
  }
};

struct BineTree {
  struct Child {
    Rank position;
    Rank first, span;  // run of positions of its subtree, itself included; it may wrap around
    bool operator==(const Child&) const = default;
  };

  Rank count = 1;

  constexpr Rank parent(Rank v) const { return place(v).parent; }
  /// Number of positions in the subtree of v, itself included: the run that starts at first(v).
  constexpr Rank span(Rank v) const { return Rank{1} << place(v).step; }
  constexpr Rank first(Rank v) const { return v == 0 ? 0 : butterfly().first_met(v, place(v).step); }

  /// Sorted by subtree size, smallest first.
  std::vector<Child> children(Rank v) const {
    std::vector<Child> found;
    for (Rank step = 0; step < place(v).step; ++step) {
      const Rank child = butterfly().partner(v, step);
      found.push_back({child, butterfly().first_met(child, step), Rank{1} << step});
    }
    return found;
  }

  /// children(v).size() without the list.
  constexpr uint64_t child_count(Rank v) const { return static_cast<uint64_t>(place(v).step); }

  constexpr uint64_t depth(Rank v) const { return place(v).depth; }
  constexpr uint64_t height() const { return static_cast<uint64_t>(butterfly().steps()); }

 private:
  /// `step`: the step in which the position is reached from `parent`. The root: the number of steps, and -1.
  struct Place {
    Rank step, parent;
    uint64_t depth;
  };

  constexpr BineButterfly butterfly() const { return {count}; }

  constexpr Place place(Rank v) const {
    Rank step = butterfly().steps(), at = 0, from = -1;
    uint64_t depth = 0;
    while (at != v && step > 0) {
      const Rank child = butterfly().partner(at, --step);
      const Rank into = (v - butterfly().first_met(child, step) + count) % count;
      if (into >= Rank{1} << step) continue;
      from = at;
      at = child;
      ++depth;
    }
    return {step, from, depth};
  }
};

}  // namespace tutti::pattern
