// Part of the trial scheduler for skewed arrivals.

#include <algorithm>

#include "select/trial_scheduler.hpp"

namespace tutti::select {

namespace {

// Required earlier cost of late ranks, and price of enabling candidates, both multiplied by the budget in thousandths:
// by default 50 ms, and the budget of 1 s, which is 20 ms.
constexpr uint64_t k_worth_enabling_ns_permille = 1'000'000'000, k_price_ns_permille = 20'000'000'000;
constexpr uint64_t k_parts_of_spread = 8, k_parts_of_spread_of_rooted = 64;
constexpr uint32_t k_most_doublings = 10;

// Percentage of the calls in which a rank must be the last one, for algorithms for that rank to be tried; and
// percentage below which they are disabled again.
constexpr uint32_t k_usually = 80, k_not_usually = 60;

// Number of calls after which the program's time per call is significant, and the ratio from which a choice is worse.
constexpr uint64_t k_enough_for_pace = 64;
constexpr Ratio k_slowed = k_one * 5 / 4;

}  // namespace

/// Decisions for simultaneous arrivals do not apply to skewed ones, and vice versa.
void TrialScheduler::restart(const Reference& reference) {
  note({round_.effect_call, choice_, 0, k_one, k_one, 0, Switch::Why::arrivals});
  is_late_ = profile_.is_late();
  choice_ = 0;
  disabled_ = options_.disabled | options_.for_late_rank;
  promising_ = 0;
  late_rank_.reset();
  pace_ = former_pace_ = {};
  remeasure(reference);
}

/// The costs of calls have changed, so trials are discarded. The running choice stays until another is better.
void TrialScheduler::remeasure(const Reference& reference) {
  for (AllStats* figures : {&stats_, &totals_})
    for (CandidateStats& stats : *figures) stats.restart(is_late());
  unit_ = reference;
  spread_at_start_ns_ = is_late() ? profile_.spread_ns() : 0;
  follow(reference.slowest);
  if (!is_late()) reference_rounds_ = 0;
  calm_ = 0;
}

/// A choice that makes the ranks arrive later has a low cost beyond the wait for late ranks.
bool TrialScheduler::has_slowed_program() const {
  return is_late() && std::min(pace_.calls, former_pace_.calls) >= k_enough_for_pace &&
         pace_.call_ns() > scaled(former_pace_.call_ns(), k_slowed);
}

void TrialScheduler::go_back() {
  stats_[choice_].is_dropped = true;
  const Ratio ratio = ratio_of(former_pace_.call_ns(), pace_.call_ns());
  take_over({.call = round_.effect_call,
             .from = choice_,
             .to = former_,
             .ratio = ratio,
             .mean_ratio = ratio,
             .trials = static_cast<uint32_t>(stats_[former_].count())});
}

/// Enabling costs all ranks some time once. It must be justified by earlier losses, and be within the budget. If all
/// ranks wait for all, losses are small compared with the spread.
void TrialScheduler::consider_enabling() {
  calls_to_enabling_ = UINT64_MAX;
  if ((disabled_ & options_.disabled) == 0 || round_number_ < next_enabling_ || !is_late()) return;
  const bool is_for_all = options_.waits == arrival::Waits::for_all;
  const uint64_t beyond_ns = std::max<uint64_t>(profile_.beyond_ns(), 1);
  if (beyond_ns * (is_for_all ? k_parts_of_spread : k_parts_of_spread_of_rooted) < profile_.spread_ns())
    return;
  const uint64_t worth_calls = k_worth_enabling_ns_permille / options_.budget_permille / beyond_ns;
  const uint64_t earned_calls =
      k_price_ns_permille / options_.budget_permille / std::max<uint64_t>(call_ns(), 1);
  const uint64_t calls = std::max(worth_calls, earned_calls);
  wants_candidates_ = elapsed_calls_ >= calls;
  if (!wants_candidates_) calls_to_enabling_ = calls - elapsed_calls_;
}

/// Marks them as promising, so that they are tried first; the cost of their calls is not known.
void TrialScheduler::enable(uint32_t candidates) {
  disabled_ &= ~candidates;
  promising_ |= candidates;
}

/// Whether arrivals have become skewed or simultaneous, or another rank is the late one.
bool TrialScheduler::do_others_come_late() const {
  const ArrivalProfile::Last last = profile_.usually_last();
  const bool is_other_rank = late_rank_ && (last.percent < k_not_usually || last.rank != *late_rank_);
  return profile_.is_late() != is_late_ || is_other_rank;
}

void TrialScheduler::consider_late_rank() {
  const ArrivalProfile::Last last = profile_.usually_last();
  if (options_.for_late_rank == 0 || late_rank_ || !is_late() || last.percent < k_usually) return;
  late_rank_ = last.rank;
  enable(options_.for_late_rank);
}

void TrialScheduler::enable_candidates(bool can_serve) {
  wants_candidates_ = false;
  if (can_serve) {
    enable(options_.disabled);
  } else {
    next_enabling_ = round_number_ + (uint64_t{1} << std::min(++vain_enablings_, k_most_doublings));
  }
  plan();
}

}  // namespace tutti::select
