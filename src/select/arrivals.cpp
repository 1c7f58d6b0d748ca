#include "select/arrivals.hpp"

#include <algorithm>

namespace tutti::select {

using arrival::Waits;

namespace {

uint64_t common_time(uint64_t own_ns, const CommonClock& clock) {
  return own_ns + static_cast<uint64_t>(clock.offset_ns);
}

/// Time before which the call cannot end on this rank, whatever serves it; 0: it waits for no other rank.
uint64_t awaited(const Trial& trial, const Arrivals& all, size_t slot, Waits waits) {
  switch (waits) {
    case Waits::for_root:
      return all.root[slot];
    case Waits::of_root:
      return trial.sample.is_root ? all.last[slot] : 0;
    case Waits::for_lower:
      return 0;  // not known: the exchange has no arrivals of single ranks
    case Waits::for_all:
      return all.last[slot];
  }
  return 0;
}

}  // namespace

void Arrivals::add(const Arrivals& other) {
  clock_error = std::max(clock_error, other.clock_error);
  for (size_t i = 0; i < k_most_slots; ++i) {
    if (other.last[i] > last[i] || (other.last[i] == last[i] && other.last_rank[i] > last_rank[i])) {
      last[i] = other.last[i];
      last_rank[i] = other.last_rank[i];
    }
    not_first[i] = std::max(not_first[i], other.not_first[i]);
    root[i] = std::max(root[i], other.root[i]);
  }
}

Arrivals Measured::arrivals() const {
  Arrivals mine{.clock_error = clock.error_ns};
  for (size_t i = 0; i < count; ++i) {
    const Sample& sample = trials[i].sample;
    const bool is_known = trials[i].is_known && sample.began_ns != 0;
    const uint64_t began = common_time(sample.began_ns, clock);
    mine.last[i] = is_known ? began : k_unknown_cost;
    mine.not_first[i] = is_known ? ~began : 0;
    mine.root[i] = is_known && sample.is_root ? began : 0;
    mine.last_rank[i] = rank;
  }
  return mine;
}

RoundMeasurements Measured::measurements(const Arrivals* all) const {
  RoundMeasurements mine{.elapsed = elapsed_ns};
  const std::span<const Trial> own = std::span(trials).first(count);
  std::array<uint64_t, k_most_slots> costs;
  costs_of(own, std::span(costs).first(count));
  for (size_t i = 0; i < count; ++i) mine.inside.set(i, costs[i]);
  if (all == nullptr) return mine;
  for (size_t i = 0; i < count; ++i) {
    uint64_t cost = costs[i];
    if (cost != k_unknown_cost && all->is_known(i)) {
      const uint64_t began = common_time(own[i].sample.began_ns, clock);
      const uint64_t in_vain = std::max(awaited(own[i], *all, i, waits), began) - began;
      cost -= std::min(cost, in_vain);
    }
    mine.beyond.set(i, cost);
  }
  return mine;
}

}  // namespace tutti::select
