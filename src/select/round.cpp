#include "select/round.hpp"

#include <utility>

#include "base/random.hpp"

namespace tutti::select {

std::vector<Slot> shuffled(std::span<const Visit> visits, uint64_t seed) {
  base::Random random(seed);
  std::vector<Visit> order(visits.begin(), visits.end());
  for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random.next() % left]);
  std::vector<Slot> slots;
  for (const Visit& visit : order)
    for (uint32_t i = 0; i < visit.calls(); ++i) slots.push_back({visit.candidate, i >= visit.warm_ups});
  return slots;
}

}  // namespace tutti::select
