#include "select/arrival_profile.hpp"

#include <algorithm>

#include "select/candidate_stats.hpp"

namespace tutti::select {

namespace {

constexpr uint64_t k_least_spread_ns = 200'000;  // caused by scheduling and the collectives themselves
constexpr uint64_t k_part_of_beyond = 2;
constexpr uint64_t k_error_bars = 4;  // smaller multiples of the clock error are not significant
constexpr uint32_t k_one_call = 1 << 10;

uint64_t averaged(uint64_t old, uint64_t fresh, bool is_first) {
  return is_first ? fresh : old - old / 2 + fresh / 2;
}

}  // namespace

void ArrivalProfile::add(const Round& round, uint32_t choice, const RoundMeasurements& all,
                         const Arrivals& arrivals) {
  std::array<uint64_t, k_most_slots> spreads, costs;
  size_t count = 0, of_choice = 0;
  fade();
  for (size_t i = 0; i < round.slots.size(); ++i) {
    if (!arrivals.is_known(i)) continue;
    spreads[count++] = arrivals.spread(i);
    count_last(arrivals.last_rank[i]);
    if (round.slots[i].candidate == choice && round.slots[i].counts)
      costs[of_choice++] = std::min(all.beyond.most[i], k_most_cost_ns);
  }
  if (of_choice == 0) return;
  spread_ns_ = averaged(spread_ns_, quantile(spreads.data(), count, 2, 4), !is_known_);
  beyond_ns_ = averaged(beyond_ns_, typical(costs.data(), of_choice, true), !is_known_);
  is_known_ = true;
  // Hysteresis: once arrivals are skewed, decisions stay until the spread becomes much smaller.
  const uint64_t least = is_late_ ? k_least_spread_ns / 2 : k_least_spread_ns;
  const uint64_t part = is_late_ ? k_part_of_beyond * 4 : k_part_of_beyond;
  is_late_ = spread_ns_ >= least && spread_ns_ / k_error_bars > arrivals.clock_error &&
             spread_ns_ > beyond_ns_ / part;
}

void ArrivalProfile::fade() {
  counted_ /= 2;
  for (Weight& one : last_) one.weight /= 2;
}

void ArrivalProfile::count_last(uint32_t rank) {
  counted_ += k_one_call;
  const auto known =
      std::ranges::find_if(last_, [rank](const Weight& one) { return one.rank == rank && one.weight > 0; });
  Weight& one = known != last_.end() ? *known : *std::ranges::min_element(last_, {}, &Weight::weight);
  if (known == last_.end()) one = {rank, 0};
  one.weight += k_one_call;
}

ArrivalProfile::Last ArrivalProfile::usually_last() const {
  if (counted_ == 0) return {};
  const Weight& most = *std::ranges::max_element(last_, {}, &Weight::weight);
  return {most.rank, static_cast<uint32_t>(uint64_t{most.weight} * 100 / counted_)};
}

}  // namespace tutti::select
