// What is different where ranks come late.

#include <algorithm>

#include "select/trial_scheduler.hpp"

namespace tutti::select {

namespace {

// What late ranks must have cost before, times the thousandths that trials may cost: 50 ms by default.
constexpr uint64_t k_worth_waking_ns_permille = 1'000'000'000;
constexpr uint32_t k_most_wakings = 4;

// In how many percent of the calls a rank is the last one, that algorithms are worth trying that are for it, and below how
// many they no longer are.
constexpr uint32_t k_usually = 80, k_not_usually = 60;

}  // namespace

/// What was decided for ranks that come together says nothing of late ones, and the other way round.
void TrialScheduler::begin_anew(const Reference& reference) {
  note({round_.effect_call, choice_, 0, k_one, k_one, 0, Switch::Why::arrivals});
  for (AllStats* figures : {&stats_, &totals_})
    for (CandidateStats& stats : *figures) stats.begin_anew(is_late());
  choice_ = 0;
  sleeping_ = options_.sleeping | options_.for_late_rank;
  promising_ = 0;
  late_rank_.reset();
  unit_ = reference;
  spread_at_start_ns_ = is_late() ? profile_.spread_ns() : 0;
  follow(reference.slowest);
  if (!is_late()) reference_rounds_ = 0;
  calm_ = 0;
}

/// Waking costs all ranks something once: it has to be worth that by what was lost before.
void TrialScheduler::consider_waking() {
  calls_to_waking_ = UINT64_MAX;
  if ((sleeping_ & options_.sleeping) == 0 || round_number_ < next_waking_ || !profile_.holds_up()) return;
  const uint64_t worth_ns = k_worth_waking_ns_permille / options_.budget_permille;
  const uint64_t worth_calls = worth_ns / std::max<uint64_t>(profile_.beyond_ns(), 1);
  wants_to_wake_ = elapsed_calls_ >= worth_calls;
  if (!wants_to_wake_) calls_to_waking_ = worth_calls - elapsed_calls_;
}

/// Likely to help, so they are tried first; how much a call of theirs takes is not known.
void TrialScheduler::rouse(uint32_t candidates) {
  sleeping_ &= ~candidates;
  promising_ |= candidates;
}

/// One rank is last in most calls, and it is not the one that the candidates are for.
bool TrialScheduler::has_other_late_rank() const {
  return late_rank_ &&
         (profile_.usually_last().percent < k_not_usually || profile_.usually_last().rank != *late_rank_);
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
    next_waking_ = ++vain_wakings_ == k_most_wakings ? UINT64_MAX : round_number_ + (1u << vain_wakings_);
  }
  plan();
}

}  // namespace tutti::select
