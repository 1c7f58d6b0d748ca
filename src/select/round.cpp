#include "select/round.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"

namespace tutti::select {

void Costs::add(const Costs& other) {
  for (size_t i = 0; i < k_most_slots; ++i) {
    most[i] = std::max(most[i], other.most[i]);
    total[i] += other.total[i];
  }
}

void RoundMeasurements::add(const RoundMeasurements& other) {
  elapsed = std::max(elapsed, other.elapsed);
  inside.add(other.inside);
  beyond.add(other.beyond);
}

std::vector<TrialSlot> shuffled(std::span<const TrialBatch> batches, uint64_t seed) {
  base::Random random(seed);
  std::vector<TrialBatch> order(batches.begin(), batches.end());
  for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random.next() % left]);
  std::vector<TrialSlot> slots;
  for (const TrialBatch& batch : order)
    for (uint32_t i = 0; i < batch.calls(); ++i) slots.push_back({batch.candidate, i >= batch.warm_ups});
  return slots;
}

}  // namespace tutti::select
