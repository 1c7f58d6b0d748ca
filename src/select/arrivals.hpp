#pragma once
// Arrival times of all ranks in one round of calls, and the cost of each call in excess of the unavoidable wait
// (paper 000, Definition 2; docs/arrival.md). Pure data; any thread.

#include <array>
#include <cstdint>

#include "arrival/figures.hpp"
#include "select/measure.hpp"
#include "select/round.hpp"

namespace tutti::select {

/// Relation of this process's clock to the common clock of all ranks.
struct CommonClock {
  static constexpr uint64_t k_none = UINT64_MAX;
  int64_t offset_ns = 0;       // to be added to this process's time
  uint64_t error_ns = k_none;  // upper bound of the error; k_none: unknown
};

/// First reduction of a round: arrival times of each call, combined over ranks, in ns of the common clock. Sent as it
/// lies in memory.
struct Arrivals {
  uint64_t clock_error = 0;                        // the largest; CommonClock::k_none: a rank has no clock
  std::array<uint64_t, k_most_slots> last{};       // arrival; k_unknown_cost: a rank does not know its own
  std::array<uint64_t, k_most_slots> not_first{};  // bitwise complement of the first arrival
  std::array<uint64_t, k_most_slots> root{};       // arrival of the root; 0: none
  std::array<uint32_t, k_most_slots> last_rank{};  // rank of the last arrival; the highest of several

  /// Combines the data of two disjoint groups of ranks. Commutative and associative.
  void add(const Arrivals& other);

  bool is_known(size_t slot) const {
    return clock_error != CommonClock::k_none && last[slot] != k_unknown_cost;
  }
  /// From the first arrival to the last, for a slot with is_known().
  uint64_t spread(size_t slot) const { return last[slot] - ~not_first[slot]; }
};

/// Measurements of one rank in a round.
struct Measured {
  uint64_t elapsed_ns = 0;  // since the first call of the site
  size_t count = 0;         // number of trials, one per slot
  std::array<Trial, k_most_slots> trials{};
  uint32_t rank = 0;
  CommonClock clock;
  /// Which ranks the site's collective waits for; meaningful if `has_arrivals`, which is the same on all ranks.
  arrival::Waits waits = arrival::Waits::for_all;
  bool has_arrivals = false;

  /// Input of the first reduction; only if has_arrivals.
  Arrivals arrivals() const;
  /// Input of the second reduction. `all`: result of the first one; nullptr: there was none.
  RoundMeasurements measurements(const Arrivals* all) const;
};

}  // namespace tutti::select
