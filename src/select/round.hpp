#pragma once
// A round of trials: which of the coming calls try what, when the ranks exchange what they measured, and from
// which call on the outcome counts. The same on all ranks. Pure data; any thread.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "select/measure.hpp"

namespace tutti::select {

/// The most calls of a round.
inline constexpr size_t k_most_slots = 31;

/// What the calls of a round cost, in ns, by slot.
struct Costs {
  std::array<uint64_t, k_most_slots> most{};  // on the slowest rank
  std::array<uint64_t, k_most_slots>
      total{};  // on all ranks together; means nothing where `most` is k_unknown_cost

  /// Of one rank.
  void set(size_t slot, uint64_t cost) {
    most[slot] = cost;
    total[slot] = cost == k_unknown_cost ? 0 : cost;
  }
  void add(const Costs& other);
};

/// What the ranks tell each other at the end of a round: at first what one rank knows, in the end what all do.
/// It travels as it lies in memory.
struct Contribution {
  uint64_t elapsed = 0;  // since the first call of the site, in ns; the greatest over ranks
  Costs inside;          // what a call cost, whoever was late
  Costs beyond;          // of that, what nobody's lateness explains (select/arrivals.hpp)

  /// What two groups of ranks know together. In any order, and every rank once.
  void add(const Contribution& other);
};

/// The same candidate for some calls in a row. The first ones only warm up (plans are made, threads wake up,
/// caches fill), the others count.
struct Visit {
  uint32_t candidate = 0;
  uint32_t warm_ups = 1;
  uint32_t counted = 0;
  uint32_t calls() const { return warm_ups + counted; }
};

struct Slot {
  uint32_t candidate = 0;
  bool counts = false;
};

struct Round {
  static constexpr uint64_t k_never = UINT64_MAX;

  uint64_t first_call = k_never;   // slot i is call first_call + i
  uint64_t due_call = k_never;     // before this call begins, the rank's contribution is ready
  uint64_t effect_call = k_never;  // before this call begins, what all ranks measured has to be there
  std::vector<Slot> slots;

  /// The slot of that call, or -1.
  int slot_of(uint64_t call) const {
    return call >= first_call && call - first_call < slots.size() ? static_cast<int>(call - first_call) : -1;
  }
};

/// The calls of the visits, in an order that is random to the program, so that a rhythm in its work does not
/// favour anybody. At most k_most_slots calls in all.
std::vector<Slot> shuffled(std::span<const Visit> visits, uint64_t seed);

}  // namespace tutti::select
