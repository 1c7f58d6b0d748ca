#pragma once
// Arrival times of all ranks in one round of calls, and the cost of each call in excess of the unavoidable wait
// (paper 000, Definition 2; docs/arrival.md). Pure data; any thread.

#include <array>
#include <cstdint>

#include "arrival/figures.hpp"
#include "select/measure.hpp"
#include "select/round.hpp"

namespace tutti::select {

/// How this process's clock stands to the one that all ranks share.
struct CommonClock {
  static constexpr uint64_t k_none = UINT64_MAX;
  int64_t offset_ns = 0;       // to be added to this process's time
  uint64_t error_ns = k_none;  // at most so far off; k_none: nothing is known
};

/// What the ranks tell each other of a round at first: of each call, over ranks, in ns of the common clock.
/// It travels as it lies in memory.
struct Arrivals {
  uint64_t clock_error = 0;                        // the greatest; CommonClock::k_none: a rank has no clock
  std::array<uint64_t, k_most_slots> last{};       // arrival; k_unknown_cost: a rank does not know
  std::array<uint64_t, k_most_slots> not_first{};  // the complement of the first arrival
  std::array<uint64_t, k_most_slots> root{};       // the root's arrival; 0: it has none
  std::array<uint32_t, k_most_slots> last_rank{};  // who came last; of several the highest

  /// What two groups of ranks know together. In any order, and every rank once.
  void add(const Arrivals& other);

  bool is_known(size_t slot) const {
    return clock_error != CommonClock::k_none && last[slot] != k_unknown_cost;
  }
  /// From the first arrival to the last. Of a known slot.
  uint64_t spread(size_t slot) const { return last[slot] - ~not_first[slot]; }
};

/// What one rank measured in a round.
struct Measured {
  uint64_t elapsed_ns = 0;  // since the first call of the site
  size_t count = 0;         // of trials, one for each slot
  std::array<Trial, k_most_slots> trials{};
  uint32_t rank = 0;
  CommonClock clock;
  /// Whom the site's collective waits for; meaningful where `has_arrivals`, which is the same on all ranks.
  arrival::Waits waits = arrival::Waits::for_all;
  bool has_arrivals = false;

  /// Where has_arrivals: what the ranks tell each other first.
  Arrivals arrivals() const;
  /// What they tell each other then. `all`: what they have told each other first; nullptr: nothing.
  Contribution contribution(const Arrivals* all) const;
};

}  // namespace tutti::select
