#include "select/trial_scheduler.hpp"

#include <algorithm>

#include "select/measure.hpp"

namespace tutti::select {

namespace {

// Limit for the expected cost of a newly enabled candidate, whose first call connects processes.
constexpr Ratio k_most_hoped = k_one * 3 / 2;

constexpr uint32_t k_reference_rounds = 8;
constexpr Ratio k_drift = k_one / 4;
constexpr uint32_t k_sure_suspicions = 2;
constexpr Ratio k_surprise = k_one / 5;  // change in cost that reopens a finished candidate
// Calls of a candidate in a round that suffice for a median; and the factor above it from which a cost is an outlier.
constexpr size_t k_enough_for_median = 3;
constexpr uint64_t k_held_up = 4;

/// Part of a first call's cost that is attributed to its being the first: half of the excess over the running choice,
/// but at most the running choice's cost. So a cost many times as high is not explained away.
Ratio first_call_part(Ratio ratio) {
  return ratio > k_one ? std::min((ratio - k_one) / 2, k_one) : 0;
}

bool differs(uint64_t a, uint64_t b, Ratio tolerance) {
  return std::max(a, b) > scaled(std::min(a, b), k_one + tolerance);
}

}  // namespace

TrialScheduler::TrialScheduler(size_t candidate_count, size_t native, const TunerOptions& options)
    : options_(options),
      native_(static_cast<uint32_t>(native)),
      stats_(candidate_count),
      totals_(candidate_count),
      disabled_(options.disabled | options.for_late_rank) {
  const bool few_calls = options.expected_calls != 0 && options.expected_calls < k_least_expected_calls;
  if (candidate_count < 2 || options.budget_permille == 0 || few_calls)
    is_exploring_ = false;
  else
    plan();
}

void TrialScheduler::apply(const RoundMeasurements& all, const Arrivals* arrivals) {
  const uint64_t elapsed_ns = std::max(elapsed_ns_, std::min(all.elapsed, uint64_t{1} << 60));
  pace_.ns += elapsed_ns - elapsed_ns_;
  pace_.calls += round_.due_call - elapsed_calls_;
  elapsed_ns_ = elapsed_ns;
  elapsed_calls_ = round_.due_call;
  if (arrivals != nullptr) profile_.add(round_, choice_, all, *arrivals);
  const bool by_beyond = profile_.is_late();
  const Costs& costs = by_beyond ? all.beyond : all.inside;
  Reference reference;
  if (!find_reference(costs, by_beyond, &reference)) {
    try_again();
    return;
  }
  failures_ = 0;
  charge(costs, reference.slowest);
  if (do_others_come_late()) {
    restart(reference);
  } else if (profile_.is_other_than(spread_at_start_ns_)) {
    remeasure(reference);
  } else {
    score(costs, is_late() ? unit_ : reference);
    if (has_drifted(reference.slowest))
      is_exploring_ ? follow(reference.slowest) : reopen_all(reference.slowest);
    drop_slow_candidates();
    has_slowed_program() ? go_back() : choose();
  }
  consider_late_rank();
  consider_enabling();
  if (!wants_candidates_) plan();
}

/// Typical cost of the running choice in this round. Returns false if it is unknown, or if more than half of the
/// counted calls are.
bool TrialScheduler::find_reference(const Costs& all, bool by_mean, Reference* reference) const {
  std::array<uint64_t, k_most_slots> costs, totals;
  size_t known = 0, counted = 0, counted_known = 0;
  for (size_t i = 0; i < round_.slots.size(); ++i) {
    const uint64_t cost = all.most[i];
    if (!round_.slots[i].counts) continue;
    ++counted;
    if (cost == k_unknown_cost) continue;
    ++counted_known;
    if (round_.slots[i].candidate != choice_) continue;
    costs[known] = std::clamp<uint64_t>(cost, 1, k_most_cost_ns);
    totals[known++] = std::max<uint64_t>(all.total[i], 1);
  }
  if (known < 2 || 2 * counted_known < counted) return false;
  *reference = {typical(costs.data(), known, by_mean), typical(totals.data(), known, by_mean)};
  return true;
}

/// Charges the cost of the round in excess of calling the running choice all the time.
void TrialScheduler::charge(const Costs& all, uint64_t reference) {
  loss_ns_ += options_.agreement_ns;
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate)
    if (candidate != choice_ && !is_untried(candidate)) loss_ns_ += loss_of(candidate, all, reference);
}

/// Loss of all calls of a candidate together, so that an accidentally slow call is compensated by a fast one. Outliers
/// are capped at four times the candidate's median, because a call of the running choice can be delayed just as well.
uint64_t TrialScheduler::loss_of(uint32_t candidate, const Costs& all, uint64_t reference) const {
  std::array<uint64_t, k_most_slots> costs;
  size_t count = 0;
  for (size_t i = 0; i < round_.slots.size(); ++i) {
    if (round_.slots[i].candidate != candidate) continue;
    const uint64_t cost = all.most[i];
    const bool is_known = cost != k_unknown_cost;
    costs[count++] =
        is_known ? std::min(cost, k_most_cost_ns) : scaled(reference, stats_[candidate].expected(k_one));
  }
  if (count == 0) return 0;
  std::array<uint64_t, k_most_slots> sorted = costs;
  const uint64_t most =
      count < k_enough_for_median ? k_most_cost_ns : k_held_up * quantile(sorted.data(), count, 2, 4);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += std::min(costs[i], most);
  return sum > count * reference ? sum - count * reference : 0;
}

void TrialScheduler::score(const Costs& all, const Reference& reference) {
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate) score_one(candidate, all, reference);
}

void TrialScheduler::score_one(uint32_t candidate, const Costs& all, const Reference& reference) {
  std::array<Ratio, k_most_slots> fresh, totals;
  size_t count = 0;
  CandidateStats& stats = stats_[candidate];
  for (size_t i = 0; i < round_.slots.size(); ++i) {
    const TrialSlot& slot = round_.slots[i];
    if (slot.candidate != candidate || all.most[i] == k_unknown_cost) continue;
    const Ratio ratio = ratio_of(std::min(all.most[i], k_most_cost_ns), reference.slowest);
    if (slot.counts) {
      totals[count] = ratio_of(all.total[i], reference.total);
      fresh[count++] = ratio;
    } else if (stats.count() == 0) {
      const Ratio expected = ratio - first_call_part(ratio);
      stats.expect(is_untried(candidate) ? std::min(expected, k_most_hoped) : expected);
    }
  }
  if (count == 0) return;
  std::array<Ratio, k_most_slots> sorted = fresh;
  const Ratio now = typical(sorted.data(), count, is_late());
  const bool was_done = candidate != choice_ && stats.count() > 0 && !is_contender(candidate);
  if (was_done && !is_late() && differs(now, stats.typical(), k_surprise)) reopen(candidate);
  for (size_t i = 0; i < count; ++i) {
    stats.add(fresh[i]);
    totals_[candidate].add(totals[i]);
  }
}

void TrialScheduler::reopen(uint32_t candidate) {
  stats_[candidate].reopen();
  totals_[candidate].reopen();
}

/// Whether the cost of the running choice has changed, in two consecutive rounds. With skewed arrivals calls differ so
/// much that only the profile can show a change.
bool TrialScheduler::has_drifted(uint64_t reference) {
  if (is_late()) return false;
  if (reference_rounds_ == 0) reference_ns_ = reference;
  const CandidateStats& own = stats_[choice_];
  // If single calls vary much, the median of a few varies too.
  const Ratio spread = own.count() >= k_enough_for_own ? own.upper_quartile() - own.lower_quartile() : 0;
  if (differs(reference, reference_ns_, std::max(k_drift, spread))) return ++suspicions_ >= k_sure_suspicions;
  suspicions_ = 0;
  if (reference_rounds_ < k_reference_rounds) {
    reference_ns_ = (reference_ns_ * reference_rounds_ + reference) / (reference_rounds_ + 1);
    ++reference_rounds_;
  }
  return false;
}

/// Adopts the new cost level. The exploration compares within rounds, so its results stay valid.
void TrialScheduler::follow(uint64_t reference) {
  reference_ns_ = reference;
  reference_rounds_ = 1;
  suspicions_ = 0;
}

void TrialScheduler::reopen_all(uint64_t reference) {
  const Ratio change = ratio_of(reference, reference_ns_);
  note({round_.effect_call, choice_, choice_, change, k_one, k_sure_suspicions, Switch::Why::drift});
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate) reopen(candidate);
  follow(reference);
  calm_ = 0;
}

bool TrialScheduler::only_watches() const {
  size_t enabled = 0;
  for (uint32_t i = 0; i < stats_.size(); ++i) enabled += is_disabled(i) ? 0 : 1;
  return enabled < 2 && !profile_.is_late();
}

void TrialScheduler::note(const Switch& event) {
  if (switches_.size() < k_most_switches) switches_.push_back(event);
}

}  // namespace tutti::select
