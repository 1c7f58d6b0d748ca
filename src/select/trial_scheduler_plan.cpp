// Plans the next trials, as soon as the budget allows them.

#include <algorithm>
#include <utility>

#include "select/trial_scheduler.hpp"

namespace tutti::select {

namespace {

constexpr uint32_t k_choice_batches = 3;     // of the running choice in every round, without extra cost
constexpr uint32_t k_counted_per_batch = 2;  // calls
constexpr size_t k_enough_trials = 24;
constexpr size_t k_enough_of_hope = 8;
constexpr uint64_t k_gap_calls = 1;
constexpr uint64_t k_first_call = 1;  // the very first call of a site includes setup

// Assumed cost of a candidate without a call: cautious, but less so for the native MPI, which is tried first.
constexpr Ratio k_native_assumed = k_one * 5 / 4;
constexpr Ratio k_assumed = k_one * 3 / 2;
// A candidate with a higher expected cost is called once per batch.
constexpr Ratio k_dear = k_one * 2;

// Part of the budget that is planned; the rest is a reserve for trials that take longer than expected.
constexpr uint64_t k_spent_parts = 7, k_all_parts = 8;

// Delay from the exchange to the call from which its outcome takes effect, in time and in calls: long enough for a
// small reduction to finish in the background.
constexpr uint64_t k_agreement_time_ns = 2'000'000;
constexpr uint64_t k_least_delay_calls = 2;
constexpr uint64_t k_first_delay_calls = 8;
constexpr uint64_t k_most_delay_calls = 64;

constexpr uint64_t k_most_lag_calls = 1024;
constexpr uint32_t k_most_failures = 16;

constexpr uint64_t k_least_watch_calls = 64;
constexpr uint64_t k_most_watch_calls = uint64_t{1} << 20;
constexpr uint32_t k_most_calm = 4;  // maximum number of doublings of the watching period
constexpr uint64_t k_watch_share = 4;
// Fractions of the remaining budget for watching: during exploration, and otherwise.
constexpr int64_t k_exploring_share = 8;
constexpr int64_t k_watching_share = 2;

uint64_t calls_of(const std::vector<TrialBatch>& batches) {
  uint64_t calls = 0;
  for (const TrialBatch& batch : batches) calls += batch.calls();
  return calls;
}

}  // namespace

uint64_t TrialScheduler::call_ns() const {
  return elapsed_calls_ == 0 ? 0 : std::max<uint64_t>(elapsed_ns_ / elapsed_calls_, 1);
}

/// Budget for exploration in that time.
uint64_t TrialScheduler::budget_of(uint64_t ns) const {
  return ns / 1000 * options_.budget_permille / k_all_parts * k_spent_parts;
}

/// Remaining budget for exploration when `call` begins, if the program continues at its rate.
int64_t TrialScheduler::left_budget_ns(uint64_t call) const {
  const uint64_t more_calls = call > elapsed_calls_ ? call - elapsed_calls_ : 0;
  uint64_t horizon_ns = elapsed_ns_ + more_calls * call_ns();
  // Only half of the announced calls: programs end early, and estimates err.
  if (call < options_.expected_calls)
    horizon_ns = std::max(horizon_ns, options_.expected_calls * call_ns() / 2);
  return static_cast<int64_t>(budget_of(horizon_ns)) - static_cast<int64_t>(loss_ns_);
}

bool TrialScheduler::is_contender(uint32_t candidate) const {
  const CandidateStats& stats = stats_[candidate];
  return candidate != choice_ && !is_disabled(candidate) && !stats.is_dropped &&
         stats.count() < k_enough_trials;
}

TrialBatch TrialScheduler::next_batch(uint32_t candidate) const {
  const CandidateStats& stats = stats_[candidate];
  if (!stats.is_known()) return {candidate, 1, 0};
  if (stats.expected(k_one) > k_dear) return {candidate, 0, 1};
  return {candidate, 1, k_counted_per_batch};
}

uint64_t TrialScheduler::batch_loss(const TrialBatch& batch) const {
  const Ratio of_strangers = batch.candidate == native_ ? k_native_assumed : k_assumed;
  const Ratio assumed = is_promising(batch.candidate) ? own_level(stats_) : of_strangers;
  const Ratio expected = stats_[batch.candidate].expected(assumed);
  const Ratio own = is_late() ? own_level(stats_) : k_one;
  return expected <= own ? 0 : scaled(reference_ns_, expected - own) * batch.calls();
}

uint64_t TrialScheduler::cheapest_loss() const {
  uint64_t least = UINT64_MAX;
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate)
    if (is_contender(candidate)) least = std::min(least, batch_loss(next_batch(candidate)));
  return least;
}

/// Adds batches of contenders, cheapest first and alternating, within the slots and the budget. Returns false if there
/// are none.
bool TrialScheduler::add_affordable(uint64_t call, std::vector<TrialBatch>* batches) const {
  std::vector<uint32_t> order;
  for (uint32_t candidate = 0; candidate < stats_.size(); ++candidate)
    if (is_contender(candidate)) order.push_back(candidate);
  const auto is_hope = [this](uint32_t candidate) {
    return is_promising(candidate) && stats_[candidate].count() < k_enough_of_hope;
  };
  // Newly enabled candidates are tried first, alone.
  if (std::ranges::any_of(order, is_hope)) std::erase_if(order, [&](uint32_t one) { return !is_hope(one); });
  std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return batch_loss(next_batch(a)) < batch_loss(next_batch(b));
  });
  int64_t budget = left_budget_ns(call) - static_cast<int64_t>(options_.agreement_ns);
  bool any = false;
  for (size_t turn = 0;; ++turn) {
    bool any_this_turn = false;
    for (const uint32_t candidate : order) {
      const CandidateStats& stats = stats_[candidate];
      const bool is_enough = stats.count() + turn * k_counted_per_batch >= k_enough_trials;
      // With skewed arrivals a few calls are no evidence.
      const bool is_known = is_late() ? stats.is_known() : stats.count() > 0;
      if ((turn > 0 && !is_known) || is_enough) continue;
      const TrialBatch batch = next_batch(candidate);
      const auto loss = static_cast<int64_t>(batch_loss(batch));
      if (loss > budget || calls_of(*batches) + batch.calls() > k_most_slots) continue;
      budget -= loss;
      batches->push_back(batch);
      any_this_turn = true;
    }
    if (!any_this_turn) return any;
    any = true;
  }
}

/// Adds the native MPI, and in turn one of the others, to test whether the running choice is still the best.
void TrialScheduler::add_watched(uint64_t call, std::vector<TrialBatch>* batches) {
  int64_t budget = left_budget_ns(call) / (is_exploring_ ? k_exploring_share : k_watching_share);
  const auto add = [&](uint32_t candidate, int times) {
    for (int i = 0; i < times; ++i) {
      const TrialBatch batch = next_batch(candidate);
      const auto loss = static_cast<int64_t>(batch_loss(batch));
      if (loss > budget || calls_of(*batches) + batch.calls() > k_most_slots) return;
      budget -= loss;
      batches->push_back(batch);
    }
  };
  if (native_ != choice_) add(native_, 2);
  rotation_ = (rotation_ + 1) % static_cast<uint32_t>(stats_.size());
  if (rotation_ != choice_ && rotation_ != native_ && !is_disabled(rotation_)) add(rotation_, 1);
}

/// Number of calls between rounds of watching: the agreements cost a decreasing fraction of the budget.
uint64_t TrialScheduler::watch_calls() const {
  const uint64_t period_ns = options_.agreement_ns * k_watch_share * 1000 / options_.budget_permille;
  const uint64_t calls = period_ns / std::max<uint64_t>(call_ns(), 1);
  uint64_t period = std::clamp(calls, k_least_watch_calls, k_most_watch_calls)
                    << std::min(calm_, k_most_calm);
  // The interval grows with the number of calls if no round has found skewed arrivals.
  if (only_watches()) period = std::max(period, std::min(round_.effect_call, k_most_watch_calls));
  return std::min(period, calls_to_enabling_);
}

void TrialScheduler::plan() {
  if (round_number_ == 0) return start_first_round();
  std::vector<TrialBatch> batches(k_choice_batches, TrialBatch{choice_, 1, k_counted_per_batch});
  const uint64_t next = round_.effect_call + k_gap_calls;
  const uint64_t last = options_.expected_calls;
  if (next < last && next > last - last / 4) {  // too late to be of use in this run
    round_ = Round{};
    is_exploring_ = false;
    return;
  }
  const uint64_t cheapest_ns = cheapest_loss();
  is_exploring_ = cheapest_ns != UINT64_MAX;
  uint64_t start = next;
  if (is_exploring_ && suspicions_ == 0) {
    calm_ = 0;
    const int64_t missing_ns = static_cast<int64_t>(std::min<uint64_t>(cheapest_ns, uint64_t{1} << 61)) +
                               static_cast<int64_t>(options_.agreement_ns) - left_budget_ns(next);
    if (missing_ns > 0) {
      const uint64_t earned_ns = std::max<uint64_t>(budget_of(call_ns()), 1);
      start += static_cast<uint64_t>(missing_ns) / earned_ns + 1;
    }
    if (start <= next + watch_calls() && add_affordable(start, &batches)) {
      start_round(start, batches);
      return;
    }
  }
  start = suspicions_ > 0 ? next : next + watch_calls();
  if (suspicions_ == 0) {
    add_watched(start, &batches);
    ++calm_;
  }
  start_round(start, batches);
}

/// The initial choice is a guess, and may be many times slower than the native MPI.
void TrialScheduler::start_first_round() {
  if (choice_ == native_)
    return start_round(
        k_first_call, std::vector<TrialBatch>(k_choice_batches, TrialBatch{choice_, 1, k_counted_per_batch}));
  batches_ = {{choice_, 0, k_counted_per_batch}, {native_, 1, k_counted_per_batch}};
  start_round(0, {{choice_, true}, {native_, false}, {choice_, true}, {native_, true}, {native_, true}},
              options_.may_wait ? k_gap_calls : k_first_delay_calls);
}

/// Too many calls had not completed at the exchange: the program keeps several pending.
void TrialScheduler::try_again() {
  loss_ns_ += options_.agreement_ns;
  if (++failures_ >= k_most_failures) {
    round_ = Round{};
    is_exploring_ = false;
    return;
  }
  lag_calls_ = std::min(2 * lag_calls_, k_most_lag_calls);
  // The distance between rounds grows with each failure, so that a site that cannot be measured costs less and less.
  start_round(round_.effect_call + lag_calls_ * failures_, batches_);
}

/// Long enough for a small reduction to finish in the background.
uint64_t TrialScheduler::delay_calls() const {
  const uint64_t each_ns = call_ns();
  return each_ns == 0 ? k_first_delay_calls
                      : std::clamp(k_agreement_time_ns / each_ns, k_least_delay_calls, k_most_delay_calls);
}

void TrialScheduler::start_round(uint64_t first_call, const std::vector<TrialBatch>& batches) {
  batches_ = batches;
  start_round(first_call, shuffled(batches, options_.seed + round_number_), delay_calls());
}

void TrialScheduler::start_round(uint64_t first_call, std::vector<TrialSlot> slots, uint64_t delay_calls) {
  Round round;
  round.slots = std::move(slots);
  round.first_call = first_call;
  round.due_call = first_call + round.slots.size() + (lag_calls_ - 1);
  round.effect_call = round.due_call + delay_calls;
  round_ = std::move(round);
  ++round_number_;
}

}  // namespace tutti::select
