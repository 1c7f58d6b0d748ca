#pragma once
// A round of trials: which of the coming calls try which candidate, when the ranks exchange their measurements, and
// from which call on the outcome takes effect. Rank-invariant. Pure data; any thread.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "select/measure.hpp"

namespace tutti::select {

/// Maximum number of calls in a round.
inline constexpr size_t k_most_slots = 31;

/// Costs of the calls of a round, in ns, by slot.
struct Costs {
  std::array<uint64_t, k_most_slots> most{};   // on the slowest rank
  std::array<uint64_t, k_most_slots> total{};  // sum over all ranks; undefined if `most` is k_unknown_cost

  /// Sets the cost of one rank.
  void set(size_t slot, uint64_t cost) {
    most[slot] = cost;
    total[slot] = cost == k_unknown_cost ? 0 : cost;
  }
  void add(const Costs& other);
};

/// Reduction at the end of a round: input from one rank, result over all ranks. Sent as it lies in memory.
struct RoundMeasurements {
  uint64_t elapsed = 0;  // since the first call of the site, in ns; the maximum over ranks
  Costs inside;          // full cost of the calls
  Costs beyond;          // cost beyond the wait for late ranks (select/arrivals.hpp)

  /// Combines the data of two disjoint groups of ranks. Commutative and associative.
  void add(const RoundMeasurements& other);
};

/// Consecutive calls with the same candidate. The first ones are warm-ups (schedules are made, threads wake up, caches
/// fill); the others count.
struct TrialBatch {
  uint32_t candidate = 0;
  uint32_t warm_ups = 1;
  uint32_t counted = 0;
  uint32_t calls() const { return warm_ups + counted; }
};

struct TrialSlot {
  uint32_t candidate = 0;
  bool counts = false;
};

struct Round {
  static constexpr uint64_t k_never = UINT64_MAX;

  uint64_t first_call = k_never;   // slot i is call first_call + i
  uint64_t due_call = k_never;     // the rank's measurements are ready before this call begins
  uint64_t effect_call = k_never;  // all measurements must be combined before this call begins
  std::vector<TrialSlot> slots;

  /// Slot of that call, or -1.
  int slot_of(uint64_t call) const {
    return call >= first_call && call - first_call < slots.size() ? static_cast<int>(call - first_call) : -1;
  }
};

/// The calls of the batches in random order, so that a periodic workload does not favour a candidate. At most
/// k_most_slots calls in total.
std::vector<TrialSlot> shuffled(std::span<const TrialBatch> batches, uint64_t seed);

}  // namespace tutti::select
