// What is different where ranks come late.

#include <algorithm>

#include "select/trial_scheduler.hpp"

namespace tutti::select {

namespace {

// What late ranks must have cost before, and what waking costs, times the thousandths that trials may cost: by default
// 50 ms, and 20 ms, which a second earns.
constexpr uint64_t k_worth_waking_ns_permille = 1'000'000'000, k_price_ns_permille = 20'000'000'000;
constexpr uint64_t k_parts_of_spread = 8, k_parts_of_spread_of_rooted = 64;
constexpr uint32_t k_most_doublings = 10;

// In how many percent of the calls a rank is the last one, that algorithms are worth trying that are for it, and below
// how many they no longer are.
constexpr uint32_t k_usually = 80, k_not_usually = 60;

// Calls of which the program's time says what a choice is worth, and from which ratio on it is worse.
constexpr uint64_t k_enough_for_pace = 64;
constexpr Ratio k_slowed = k_one * 5 / 4;

}  // namespace

/// What was decided for ranks that come together says nothing of late ones, and the other way round.
void TrialScheduler::begin_anew(const Reference& reference) {
  note({round_.effect_call, choice_, 0, k_one, k_one, 0, Switch::Why::arrivals});
  is_late_ = profile_.is_late();
  choice_ = 0;
  sleeping_ = options_.sleeping | options_.for_late_rank;
  promising_ = 0;
  late_rank_.reset();
  pace_ = former_pace_ = {};
  measure_anew(reference);
}

/// What calls cost is another matter now; what was decided stands until something else proves better.
void TrialScheduler::measure_anew(const Reference& reference) {
  for (AllStats* figures : {&stats_, &totals_})
    for (CandidateStats& stats : *figures) stats.begin_anew(is_late());
  unit_ = reference;
  spread_at_start_ns_ = is_late() ? profile_.spread_ns() : 0;
  follow(reference.slowest);
  if (!is_late()) reference_rounds_ = 0;
  calm_ = 0;
}

/// A choice that makes the ranks come later looks good by what it costs beyond that.
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

/// Waking costs all ranks something once: it has to be worth that by what was lost before, and within what trials may
/// cost. Where all wait for all, what is lost is little beside how late they come.
void TrialScheduler::consider_waking() {
  calls_to_waking_ = UINT64_MAX;
  if ((sleeping_ & options_.sleeping) == 0 || round_number_ < next_waking_ || !is_late()) return;
  const bool is_for_all = options_.waits == arrival::Waits::for_all;
  const uint64_t beyond_ns = std::max<uint64_t>(profile_.beyond_ns(), 1);
  if (beyond_ns * (is_for_all ? k_parts_of_spread : k_parts_of_spread_of_rooted) < profile_.spread_ns())
    return;
  const uint64_t worth_calls = k_worth_waking_ns_permille / options_.budget_permille / beyond_ns;
  const uint64_t earned_calls =
      k_price_ns_permille / options_.budget_permille / std::max<uint64_t>(call_ns(), 1);
  const uint64_t calls = std::max(worth_calls, earned_calls);
  wants_to_wake_ = elapsed_calls_ >= calls;
  if (!wants_to_wake_) calls_to_waking_ = calls - elapsed_calls_;
}

/// Likely to help, so they are tried first; how much a call of theirs takes is not known.
void TrialScheduler::rouse(uint32_t candidates) {
  sleeping_ &= ~candidates;
  promising_ |= candidates;
}

/// They come late or no longer do, or another one is last.
bool TrialScheduler::do_others_come_late() const {
  const ArrivalProfile::Last last = profile_.usually_last();
  const bool is_other_rank = late_rank_ && (last.percent < k_not_usually || last.rank != *late_rank_);
  return profile_.is_late() != is_late_ || is_other_rank;
}

void TrialScheduler::consider_late_rank() {
  const ArrivalProfile::Last last = profile_.usually_last();
  if (options_.for_late_rank == 0 || late_rank_ || !is_late() || last.percent < k_usually) return;
  late_rank_ = last.rank;
  rouse(options_.for_late_rank);
}

void TrialScheduler::wake(bool can_serve) {
  wants_to_wake_ = false;
  if (can_serve) {
    rouse(options_.sleeping);
  } else {
    next_waking_ = round_number_ + (uint64_t{1} << std::min(++vain_wakings_, k_most_doublings));
  }
  plan();
}

}  // namespace tutti::select
