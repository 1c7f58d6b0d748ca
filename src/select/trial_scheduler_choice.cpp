// Selects the running choice.

#include <algorithm>

#include "select/trial_scheduler.hpp"

namespace tutti::select {

namespace {

constexpr Ratio percent(uint64_t n) {
  return k_one * n / 100;
}

/// A candidate is dropped if its median and its lower quartile are this much above the running choice's, which excludes
/// chance.
struct DropRule {
  size_t trials;
  Ratio median, lower_quartile;
};
constexpr DropRule k_drop_rules[] = {
    {2, percent(150), percent(150)},
    {6, percent(120), percent(105)},
    {12, percent(108), percent(102)},
};

/// A candidate is dropped after its first call if its expected cost, corrected for a first call, exceeds this.
constexpr Ratio k_hopeless = percent(800);

/// A candidate becomes the running choice if its median is below this.
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

/// By the other figure it may be this much worse, which is within chance.
constexpr Ratio k_no_worse = percent(102);

// Trials of a new choice from which the other ratios can be converted to it; trials of a candidate from which one
// figure suffices.
constexpr size_t k_sure_trials = 6;

// For skewed arrivals: calls that suffice for a mean, and its thresholds.
constexpr size_t k_enough_for_mean = 4;
constexpr Ratio k_late_lead = percent(94), k_late_no_worse = percent(110);

}  // namespace

/// With skewed arrivals trials are not ratios to the running choice of their round, so its own level is used.
Ratio TrialScheduler::own_level(const AllStats& figures) const {
  const CandidateStats& own = figures[choice_];
  const bool is_known = own.count() >= k_enough_for_own || (is_late() && own.count() > 0);
  return is_known ? std::max<Ratio>(own.typical(), 1) : k_one;
}

/// Ratio of the candidate's typical cost to that of the running choice.
Ratio TrialScheduler::relative(const AllStats& figures, uint32_t candidate) const {
  return ratio_of(figures[candidate].typical(), own_level(figures));
}

void TrialScheduler::drop_slow_candidates() {
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate) {
    CandidateStats& stats = stats_[candidate];
    if (candidate == choice_ || stats.is_dropped || !stats.is_known()) continue;
    if (stats.count() == 0) {
      stats.is_dropped = !is_late() && stats.expected(k_one) > k_hopeless;
      continue;
    }
    const Ratio quartile = ratio_of(stats.lower_quartile(), own_level(stats_));
    for (const DropRule& rule : k_drop_rules)
      if (stats.count() >= rule.trials && relative(stats_, candidate) > rule.median &&
          quartile > rule.lower_quartile)
        stats.is_dropped = true;
  }
}

/// Whether the candidate is clearly better by this figure.
bool TrialScheduler::leads(const AllStats& figures, uint32_t candidate) const {
  const CandidateStats& stats = figures[candidate];
  const Ratio median = relative(figures, candidate);
  const Ratio largest = ratio_of(stats.largest(), own_level(figures));
  if (is_late()) {
    const Ratio chance = stats.error() + figures[choice_].error();
    return stats.count() >= k_enough_for_mean && median < k_late_lead &&
           stats.typical() + chance < own_level(figures);
  }
  return std::any_of(std::begin(k_switch_rules), std::end(k_switch_rules), [&](const auto& rule) {
    return stats.count() >= rule.trials && median < rule.median && largest < rule.largest;
  });
}

/// Whether it is better by one figure and not worse by the other. With few trials the native MPI is replaced only by a
/// candidate better by both: one figure of few calls is often chance, and a program must not be slower than without
/// Tutti.
bool TrialScheduler::is_better(uint32_t candidate) const {
  const bool leads_slowest = leads(stats_, candidate), leads_total = leads(totals_, candidate);
  if (leads_slowest && leads_total) return true;
  if (is_late()) return leads_total && relative(stats_, candidate) <= k_late_no_worse;
  if (choice_ == native_ && stats_[candidate].count() < k_sure_trials) return false;
  return (leads_slowest && relative(totals_, candidate) <= k_no_worse) ||
         (leads_total && relative(stats_, candidate) <= k_no_worse);
}

/// Switches to the best of the clearly better candidates, if there is one.
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
  take_over({.call = round_.effect_call,
             .from = choice_,
             .to = candidate,
             .ratio = relative(stats_, candidate),
             .mean_ratio = relative(totals_, candidate),
             .trials = static_cast<uint32_t>(stats_[candidate].count())});
}

void TrialScheduler::take_over(const Switch& event) {
  note(event);
  former_ = event.from;
  former_pace_ = pace_;
  pace_ = {};
  choice_ = event.to;
  if (!is_late()) {
    for (AllStats* figures : {&stats_, &totals_}) {
      const Ratio base = std::max<Ratio>((*figures)[choice_].typical(), 1);
      for (CandidateStats& stats : *figures) stats.rebase(base);
    }
    reference_ns_ = std::max<uint64_t>(scaled(reference_ns_, event.ratio), 1);
  }
  reference_rounds_ = 1;
  suspicions_ = 0;
  calm_ = 0;
  // The old choice must be compared with the new one in the same rounds, so that a mistaken switch is reverted. After
  // few trials the ratios of the others cannot be converted either.
  for (uint32_t other = 0; other < stats_.size(); ++other) {
    const bool is_unsure = other == event.from || (event.trials < k_sure_trials && other != choice_);
    if (is_unsure && !stats_[other].is_dropped) reopen(other);
  }
}

}  // namespace tutti::select
