#pragma once
// Rank-invariant part of run-time selection (DESIGN §7): statistics of the candidates of one call site, the running
// choice, and the next trials. A pure function of the number of candidates, the options and the agreed measurements,
// in integers: every rank with the same input computes the same. Not thread-safe; the owner of the site serialises
// calls.
//
//
//   round 0         the running choice, and the native MPI if that is another one, in the first five calls. A choice
//                   that is clearly slower in both of its calls is replaced at once.
//   exploration     rounds of trials, as the budget allows. The first call of a candidate is a warm-up and gives an
//                   estimate of the cost of a trial; then it is tried in batches. Clearly bad candidates are dropped,
//                   the sooner the more trials there are; a clearly better one becomes the running choice.
//   choosing        by two figures of each call: the cost on the slowest rank, and the sum over all ranks. A candidate
//                   takes over if it is clearly better by one figure and not worse by the other. With few trials it
//                   takes over from the native MPI only if it is clearly better by both. If ranks arrive together,
//                   the slowest one determines the program's wait. If arrivals are skewed, most of its time is the
//                   wait for the last rank, which no candidate can change, and the sum shows how many ranks waited.
//   watch           all candidates are dropped or tried enough. From time to time the running choice is compared with
//                   its own past, with the native MPI, and in turn with one other. Changes restart the exploration.

#include <cstdint>
#include <optional>
#include <vector>

#include "arrival/figures.hpp"
#include "select/arrival_profile.hpp"
#include "select/candidate_stats.hpp"
#include "select/round.hpp"

namespace tutti::select {

struct TunerOptions {
  /// Limit for the cost of exploration, in thousandths of the elapsed time.
  uint32_t budget_permille = 20;
  /// Number of calls of the site, if the program has given it; 0: unknown. A few calls are not worth exploring; with
  /// many, the budget of the whole run may be spent at its beginning.
  uint64_t expected_calls = 0;
  /// Cost of one agreement for the program, which counts as exploration.
  uint64_t agreement_ns = 50'000;
  /// Seed for the order of trials, so that it differs between sites.
  uint64_t seed = 0;
  /// Calls may block until all ranks have agreed, so that the result of the first round takes effect at once.
  bool may_wait = false;
  /// Which ranks the site's collective waits for; set if the ranks exchange arrival times.
  std::optional<arrival::Waits> waits = std::nullopt;
  /// Bit i set: candidate i is disabled until enable_candidates().
  uint32_t disabled = 0;
  /// Bit i set: candidate i is disabled until the late rank is known.
  uint32_t for_late_rank = 0;
};

/// With fewer expected calls exploration is not worth it.
inline constexpr uint64_t k_least_expected_calls = 64;

/// A change of the running choice, for reports.
struct Switch {
  enum class Why : uint8_t { faster, drift, arrivals };
  uint64_t call = 0;  // first call with the new choice
  uint32_t from = 0, to = 0;
  Ratio ratio = k_one;       // faster: new cost / old choice's cost; drift: cost / earlier cost
  Ratio mean_ratio = k_one;  // the same for the sum over ranks; only for `faster`
  uint32_t trials = 0;
  Why why = Why::faster;
};

class TrialScheduler {
 public:
  /// Candidate 0 is the initial running choice. `native`: index of the native MPI.
  TrialScheduler(size_t candidate_count, size_t native, const TunerOptions& options);

  /// The current or next round; its calls are k_never if there are no further trials.
  const Round& round() const { return round_; }
  /// The running choice, which serves all calls that are no trials.
  uint32_t choice() const { return choice_; }
  /// Ends the round. Call it just before call round().effect_call, with the combined measurements of all ranks.
  /// `arrivals`: nullptr if options.waits has no value.
  void apply(const RoundMeasurements& all, const Arrivals* arrivals = nullptr);

  /// Whether disabled candidates are worth enabling. If true, enable_candidates() must plan the next round before the
  /// next call.
  bool wants_candidates() const { return wants_candidates_; }
  /// `can_serve`: whether they can serve calls now. If not, wants_candidates() becomes true again some rounds later,
  /// with doubling intervals.
  void enable_candidates(bool can_serve);

  // For reports.
  const CandidateStats& stats(size_t candidate) const { return stats_[candidate]; }
  /// Median cost of the running choice on the slowest rank in recent rounds; 0 before the first.
  uint64_t reference_ns() const { return reference_ns_; }
  uint64_t loss_ns() const { return loss_ns_; }
  uint64_t elapsed_ns() const { return elapsed_ns_; }
  uint64_t round_count() const { return round_number_; }
  bool is_exploring() const { return is_exploring_; }
  const ArrivalProfile& arrivals() const { return profile_; }
  /// The late rank for the candidates that need it; nullopt: these are disabled.
  std::optional<uint32_t> late_rank() const { return late_rank_; }
  bool is_disabled(uint32_t candidate) const { return (disabled_ >> candidate & 1) != 0; }
  /// Whether there are no trials, and none before arrivals become skewed.
  bool only_watches() const;
  /// At most k_most_switches, the earliest.
  const std::vector<Switch>& switches() const { return switches_; }
  static constexpr size_t k_most_switches = 64;

 private:
  /// Whether candidates are compared as for skewed arrivals, since the last restart().
  bool is_late() const { return is_late_; }

  // trial_scheduler.cpp: evaluation of a round
  /// Typical cost of the running choice in a round.
  struct Reference {
    uint64_t slowest = 0, total = 0;
  };
  using AllStats = std::vector<CandidateStats>;
  static constexpr size_t k_enough_for_own = 6;  // trials that determine the running choice's cost
  bool find_reference(const Costs& all, bool by_mean, Reference* reference) const;
  void charge(const Costs& all, uint64_t reference);
  uint64_t loss_of(uint32_t candidate, const Costs& all, uint64_t reference) const;
  void score(const Costs& all, const Reference& reference);
  void score_one(uint32_t candidate, const Costs& all, const Reference& reference);
  bool has_drifted(uint64_t reference);
  void follow(uint64_t reference);
  void reopen_all(uint64_t reference);
  void note(const Switch& event);
  void reopen(uint32_t candidate);

  // trial_scheduler_late.cpp
  void restart(const Reference& reference);
  void remeasure(const Reference& reference);
  void consider_enabling();
  /// Enabled and never called: a slow first call was part of the price of enabling, and is not evidence.
  bool is_untried(uint32_t candidate) const {
    return is_promising(candidate) && !stats_[candidate].is_known();
  }
  bool is_promising(uint32_t candidate) const { return (promising_ >> candidate & 1) != 0; }
  bool do_others_come_late() const;
  void consider_late_rank();
  /// Whether the program's total time shows that the running choice, chosen by the cost beyond waiting, is worse.
  bool has_slowed_program() const;
  void go_back();
  void enable(uint32_t candidates);

  // trial_scheduler_choice.cpp: selection of the running choice
  void drop_slow_candidates();
  void choose();
  void switch_to(uint32_t candidate);
  void take_over(const Switch& event);
  Ratio own_level(const AllStats& figures) const;
  Ratio relative(const AllStats& figures, uint32_t candidate) const;
  bool leads(const AllStats& figures, uint32_t candidate) const;
  bool is_better(uint32_t candidate) const;

  // trial_scheduler_plan.cpp: planning of trials
  void plan();
  void try_again();
  bool is_contender(uint32_t candidate) const;
  bool add_affordable(uint64_t call, std::vector<TrialBatch>* batches) const;
  void add_watched(uint64_t call, std::vector<TrialBatch>* batches);
  uint64_t batch_loss(const TrialBatch& batch) const;
  TrialBatch next_batch(uint32_t candidate) const;
  uint64_t cheapest_loss() const;
  uint64_t budget_of(uint64_t ns) const;
  int64_t left_budget_ns(uint64_t call) const;
  uint64_t call_ns() const;
  uint64_t watch_calls() const;
  void start_first_round();
  void start_round(uint64_t first_call, const std::vector<TrialBatch>& batches);
  void start_round(uint64_t first_call, std::vector<TrialSlot> slots, uint64_t delay_calls);
  uint64_t delay_calls() const;

  TunerOptions options_;
  uint32_t native_;
  uint32_t choice_ = 0;
  // Costs of the slowest rank, which also determine dropped candidates and the expected cost of trials.
  AllStats stats_;
  AllStats totals_;  // sums over all ranks, of the same trials
  Round round_;
  std::vector<TrialBatch> batches_;  // of round_
  uint64_t round_number_ = 0;
  uint64_t elapsed_ns_ = 0, elapsed_calls_ = 0;
  uint64_t loss_ns_ = 0;
  uint64_t reference_ns_ = 0;  // of the running choice, over up to k_reference_rounds rounds
  uint32_t reference_rounds_ = 0;
  uint32_t suspicions_ = 0;  // consecutive rounds with a changed cost of the running choice
  uint32_t calm_ = 0;        // uneventful rounds of watching
  uint32_t rotation_ = 0;
  uint64_t lag_calls_ = 1;  // from the last slot to the exchange: nonblocking calls take time to complete
  uint32_t failures_ = 0;   // consecutive rounds with too few measurements
  bool is_exploring_ = true;
  ArrivalProfile profile_;
  // For skewed arrivals: the unit of the trials' ratios, and the spread when the measurement began.
  bool is_late_ = false;
  Reference unit_;
  uint64_t spread_at_start_ns_ = 0;
  /// Total elapsed time of the program, accumulated over rounds.
  struct Pace {
    uint64_t ns = 0, calls = 0;
    uint64_t call_ns() const { return ns / calls; }
  };
  Pace pace_, former_pace_;  // with the running choice, and with the previous one
  uint32_t former_ = 0;
  uint32_t disabled_;       // bit i: candidate i
  uint32_t promising_ = 0;  // bit i: candidate i
  std::optional<uint32_t> late_rank_;
  bool wants_candidates_ = false;
  uint64_t calls_to_enabling_ = UINT64_MAX;  // calls until enabling is worth its price, at the current rates
  uint32_t vain_enablings_ = 0;
  uint64_t next_enabling_ = 0;  // number of the round
  std::vector<Switch> switches_;
};

}  // namespace tutti::select
