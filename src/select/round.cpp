#include "select/round.hpp"

#include <utility>

namespace tutti::select {

namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers everywhere, unlike the distributions of
/// <random>.
uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<Slot> shuffled(std::span<const Visit> visits, uint64_t seed) {
  std::vector<Visit> order(visits.begin(), visits.end());
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[next_random(&seed) % left]);
  std::vector<Slot> slots;
  for (const Visit& visit : order)
    for (uint32_t i = 0; i < visit.calls(); ++i) slots.push_back({visit.candidate, i >= visit.warm_ups});
  return slots;
}

}  // namespace tutti::select
