#include "select/trial_scheduler.hpp"

#include <algorithm>

#include "select/measure.hpp"

namespace tutti::select {

namespace {

constexpr Ratio percent(uint64_t n) {
  return k_one * n / 100;
}

/// A candidate is dropped when its median is this much above the running choice's, and its lower quartile
/// too: then it is no accident.
struct DropRule {
  size_t trials;
  Ratio median, lower_quartile;
};
constexpr DropRule k_drop_rules[] = {
    {2, percent(150), percent(150)},
    {6, percent(120), percent(105)},
    {12, percent(108), percent(102)},
};

/// And it becomes the running choice when its median is below this.
struct SwitchRule {
  size_t trials;
  Ratio median, largest;
};
constexpr SwitchRule k_switch_rules[] = {
    {2, percent(80), percent(80)},
    {6, percent(94), k_most_ratio},
    {12, percent(96), k_most_ratio},
    {20, percent(98), k_most_ratio},
};

/// By the other figure it may look this much worse: that much is chance.
constexpr Ratio k_no_worse = percent(102);

constexpr uint32_t k_reference_rounds = 8;
constexpr Ratio k_drift = percent(25);
constexpr uint32_t k_sure_suspicions = 2;
constexpr Ratio k_surprise = percent(20);  // a candidate that was done with costs something else now
constexpr size_t k_enough_for_own = 6;
// Calls of a candidate in a round of which a median says something, and a call that says nothing of it.
constexpr size_t k_enough_for_median = 3;
constexpr uint64_t k_held_up = 4;
// Of a new choice: the ratios of the others can be converted. Of any: one figure is enough.
constexpr size_t k_sure_trials = 6;

constexpr uint64_t k_worth_waking_ns = 20'000'000;
constexpr uint32_t k_most_wakings = 4;

/// What of a first call is put down to its being the first: half of what it takes longer than the running
/// choice, and no more than that takes itself. Who takes many times as long is believed.
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
      sleeping_(options.sleeping) {
  const bool few_calls = options.expected_calls != 0 && options.expected_calls < k_least_expected_calls;
  if (candidate_count < 2 || options.budget_permille == 0 || few_calls)
    is_exploring_ = false;
  else
    plan();
}

void TrialScheduler::apply(const Contribution& all, const Arrivals* arrivals) {
  elapsed_ns_ = std::max(elapsed_ns_, std::min(all.elapsed, uint64_t{1} << 60));
  elapsed_calls_ = round_.due_call;
  const bool was_late = profile_.is_late();
  if (arrivals != nullptr) profile_.add(round_, choice_, all, *arrivals);
  const Costs& costs = profile_.is_late() ? all.beyond : all.inside;
  Reference reference;
  if (!find_reference(costs, &reference)) {
    try_again();
    return;
  }
  failures_ = 0;
  charge(costs, reference.slowest);
  if (profile_.is_late() != was_late) {
    begin_anew(reference.slowest);
  } else {
    score(costs, reference);
    if (has_drifted(reference.slowest))
      is_exploring_ ? follow(reference.slowest) : reopen_all(reference.slowest);
    drop_the_bad();
    choose();
  }
  consider_waking();
  if (!wants_to_wake_) plan();
}

/// What was decided for ranks that come together says nothing of late ones, and the other way round.
void TrialScheduler::begin_anew(uint64_t reference) {
  note({round_.effect_call, choice_, 0, k_one, k_one, 0, Switch::Why::arrivals});
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate) {
    reopen(candidate);
    stats_[candidate].is_dropped = totals_[candidate].is_dropped = false;
  }
  choice_ = 0;
  follow(reference);
  reference_rounds_ = 0;
  calm_ = 0;
}

/// Waking costs all ranks something once: it has to be worth that by what was lost before.
void TrialScheduler::consider_waking() {
  calls_to_waking_ = UINT64_MAX;
  if (sleeping_ == 0 || round_number_ < next_waking_ || !profile_.holds_up()) return;
  const uint64_t worth_calls = k_worth_waking_ns / std::max<uint64_t>(profile_.beyond_ns(), 1);
  wants_to_wake_ = elapsed_calls_ >= worth_calls;
  if (!wants_to_wake_) calls_to_waking_ = worth_calls - elapsed_calls_;
}

void TrialScheduler::wake(bool can_serve) {
  wants_to_wake_ = false;
  if (can_serve) {
    // Likely to help, so they are tried first.
    for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate)
      if (is_asleep(candidate)) stats_[candidate].expect(k_one);
    sleeping_ = 0;
  } else {
    next_waking_ = ++vain_wakings_ == k_most_wakings ? UINT64_MAX : round_number_ + (1u << vain_wakings_);
  }
  plan();
}

/// The running choice's medians in this round. False when it, or more than half of the others, is unknown.
bool TrialScheduler::find_reference(const Costs& all, Reference* reference) const {
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
  *reference = {quantile(costs.data(), known, 2, 4), quantile(totals.data(), known, 2, 4)};
  return true;
}

/// What the round cost compared with calling the running choice all the time.
void TrialScheduler::charge(const Costs& all, uint64_t reference) {
  loss_ns_ += options_.agreement_ns;
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate)
    if (candidate != choice_) loss_ns_ += loss_of(candidate, all, reference);
}

/// Of all its calls together: one that by chance takes longer than the running choice is no loss where
/// another one takes less. And one that takes many times as long as its others was held up, as calls of the
/// running choice are.
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
    const Slot& slot = round_.slots[i];
    if (slot.candidate != candidate || all.most[i] == k_unknown_cost) continue;
    const Ratio ratio = ratio_of(std::min(all.most[i], k_most_cost_ns), reference.slowest);
    if (slot.counts) {
      totals[count] = ratio_of(all.total[i], reference.total);
      fresh[count++] = ratio;
    } else if (stats.count() == 0) {
      stats.expect(ratio - first_call_part(ratio));
    }
  }
  if (count == 0) return;
  std::array<Ratio, k_most_slots> sorted = fresh;
  const Ratio median = quantile(sorted.data(), count, 2, 4);
  const bool was_done = candidate != choice_ && stats.count() > 0 && !is_contender(candidate);
  if (was_done && differs(median, stats.median(), k_surprise)) reopen(candidate);
  for (size_t i = 0; i < count; ++i) {
    stats.add(fresh[i]);
    totals_[candidate].add(totals[i]);
  }
}

void TrialScheduler::reopen(uint32_t candidate) {
  stats_[candidate].reopen();
  totals_[candidate].reopen();
}

/// Does the running choice cost something else than before? Only when it does so twice in a row.
bool TrialScheduler::has_drifted(uint64_t reference) {
  if (reference_rounds_ == 0) reference_ns_ = reference;
  const CandidateStats& own = stats_[choice_];
  // Where calls differ much among themselves, a median of a few differs too.
  const Ratio spread = own.count() >= k_enough_for_own ? own.upper_quartile() - own.lower_quartile() : 0;
  if (differs(reference, reference_ns_, std::max(k_drift, spread))) return ++suspicions_ >= k_sure_suspicions;
  suspicions_ = 0;
  if (reference_rounds_ < k_reference_rounds) {
    reference_ns_ = (reference_ns_ * reference_rounds_ + reference) / (reference_rounds_ + 1);
    ++reference_rounds_;
  }
  return false;
}

/// Another level. What is being explored is compared within its rounds, so nothing that is known is lost.
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

Ratio TrialScheduler::own_median(const AllStats& figures) const {
  const CandidateStats& own = figures[choice_];
  return own.count() >= k_enough_for_own ? std::max<Ratio>(own.median(), 1) : k_one;
}

/// A candidate's median to that of the running choice.
Ratio TrialScheduler::relative(const AllStats& figures, uint32_t candidate) const {
  return ratio_of(figures[candidate].median(), own_median(figures));
}

void TrialScheduler::drop_the_bad() {
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate) {
    CandidateStats& stats = stats_[candidate];
    if (candidate == choice_ || stats.is_dropped || stats.count() == 0) continue;
    const Ratio quartile = ratio_of(stats.lower_quartile(), own_median(stats_));
    for (const DropRule& rule : k_drop_rules)
      if (stats.count() >= rule.trials && relative(stats_, candidate) > rule.median &&
          quartile > rule.lower_quartile)
        stats.is_dropped = true;
  }
}

/// Better beyond doubt, by one of the figures.
bool TrialScheduler::leads(const AllStats& figures, uint32_t candidate) const {
  const CandidateStats& stats = figures[candidate];
  const Ratio median = relative(figures, candidate);
  const Ratio largest = ratio_of(stats.largest(), own_median(figures));
  return std::any_of(std::begin(k_switch_rules), std::end(k_switch_rules), [&](const auto& rule) {
    return stats.count() >= rule.trials && median < rule.median && largest < rule.largest;
  });
}

/// By one figure, and not worse by the other. The native MPI yields to few trials only by both figures:
/// one figure of few calls is easily chance, and nobody may be slower than without Tutti.
bool TrialScheduler::is_better(uint32_t candidate) const {
  const bool leads_slowest = leads(stats_, candidate), leads_total = leads(totals_, candidate);
  if (leads_slowest && leads_total) return true;
  if (choice_ == native_ && stats_[candidate].count() < k_sure_trials) return false;
  return (leads_slowest && relative(totals_, candidate) <= k_no_worse) ||
         (leads_total && relative(stats_, candidate) <= k_no_worse);
}

/// The best of those that are better beyond doubt, if there is one.
void TrialScheduler::choose() {
  uint32_t best = choice_;
  Ratio least = k_most_ratio;
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate) {
    const CandidateStats& stats = stats_[candidate];
    if (candidate == choice_ || stats.count() == 0 || stats.is_dropped || !is_better(candidate)) continue;
    const Ratio both = relative(stats_, candidate) + relative(totals_, candidate);
    if (both >= least) continue;
    best = candidate;
    least = both;
  }
  if (best != choice_) switch_to(best);
}

void TrialScheduler::switch_to(uint32_t candidate) {
  const uint32_t old = choice_;
  const auto trials = static_cast<uint32_t>(stats_[candidate].count());
  const Ratio unit = relative(stats_, candidate);
  note({round_.effect_call, old, candidate, unit, relative(totals_, candidate), trials, Switch::Why::faster});
  for (AllStats* figures : {&stats_, &totals_}) {
    const Ratio base = std::max<Ratio>((*figures)[candidate].median(), 1);
    for (CandidateStats& stats : *figures) stats.rebase(base);
  }
  choice_ = candidate;
  reference_ns_ = std::max<uint64_t>(scaled(reference_ns_, unit), 1);
  reference_rounds_ = 1;
  suspicions_ = 0;
  calm_ = 0;
  // The old choice has to be compared with the new one in the same rounds: if the switch was a mistake, it
  // comes back. From few trials the ratios of the others cannot be converted either.
  for (uint32_t other = 0; other < stats_.size(); ++other) {
    const bool is_unsure = other == old || (trials < k_sure_trials && other != candidate);
    if (is_unsure && !stats_[other].is_dropped) reopen(other);
  }
}

void TrialScheduler::note(const Switch& event) {
  if (switches_.size() < k_most_switches) switches_.push_back(event);
}

}  // namespace tutti::select
