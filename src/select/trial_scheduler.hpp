#pragma once
// The agreed half of run-time selection (DESIGN §7): what has been learned about the candidates of one call
// site, what runs, and what is tried next. A pure function of the candidates' number, the options and the
// contributions that the ranks agreed on, in whole numbers: every rank that is given the same computes the
// same. Not thread-safe: whoever calls the site owns it.
//
//   round 0         the running choice, and the native MPI if that is another one, in the first five calls: a choice
//                   that is clearly slower in both of its calls gives way at once
//   exploration     rounds of trials, as the budget allows. A candidate is first called once, which warms
//                   it up and says what a trial of it may cost, then in visits. Clearly bad ones are
//                   dropped, the more trials there are the sooner; what is clearly better becomes the
//                   running choice.
//   choosing        by two figures of each call: what it cost the slowest rank, and what it cost all of them
//                   together. Another candidate takes over when it is clearly better by one and not worse by
//                   the other; from few trials, it takes over from the native MPI only when it is clearly
//                   better by both. Where ranks arrive together the slowest one says what the program waits for.
//                   Where they arrive at different times, its time is mostly that until the last ones come,
//                   which no candidate can change, and the sum says how many had to wait for them.
//   watch           all have been dropped or tried enough: now and then the running choice is compared with
//                   its own past, with the native MPI, and in turn with one other. What has changed is
//                   explored again.

#include <cstdint>
#include <optional>
#include <vector>

#include "arrival/figures.hpp"
#include "select/arrival_profile.hpp"
#include "select/candidate_stats.hpp"
#include "select/round.hpp"

namespace tutti::select {

struct TunerOptions {
  /// Most that exploration may cost, in thousandths of the elapsed time.
  uint32_t budget_permille = 20;
  /// How often the site will be called, if the program said so; 0: unknown. Few calls are not worth
  /// exploring; with many the budget of the whole run may be spent at its beginning.
  uint64_t expected_calls = 0;
  /// What one agreement costs the program, which counts as exploration.
  uint64_t agreement_ns = 50'000;
  /// Makes the order of trials differ between sites.
  uint64_t seed = 0;
  /// Calls may wait for the others' agreement, so that what the first round says counts at once.
  bool may_wait = false;
  /// Whom the site's collective waits for, where the ranks tell each other when they came.
  std::optional<arrival::Waits> waits = std::nullopt;
  /// Candidate i sleeps if bit i is set: it is not tried before wake().
  uint32_t sleeping = 0;
  /// Likewise: it is not tried before it is known which rank comes late.
  uint32_t for_late_rank = 0;
};

/// Fewer expected calls than this are not worth exploring.
inline constexpr uint64_t k_least_expected_calls = 64;

/// Another choice, for reports.
struct Switch {
  enum class Why : uint8_t { faster, drift, arrivals };
  uint64_t call = 0;  // the first that it served
  uint32_t from = 0, to = 0;
  Ratio ratio = k_one;       // its cost to that of the one before; else: the cost to what it was before
  Ratio mean_ratio = k_one;  // the same of all ranks together; where not `faster`: not known
  uint32_t trials = 0;
  Why why = Why::faster;
};

class TrialScheduler {
 public:
  /// Candidate 0 runs until another proves better. `native`: which of them is the native MPI.
  TrialScheduler(size_t candidate_count, size_t native, const TunerOptions& options);

  /// The round that is under way or comes next; its calls are k_never where nothing is tried any more.
  const Round& round() const { return round_; }
  /// Serves all calls that try nothing.
  uint32_t choice() const { return choice_; }
  /// Ends the round: to be called just before call round().effect_call, with the contributions of all ranks.
  /// `arrivals`: nullptr where options.waits has no value.
  void apply(const Contribution& all, const Arrivals* arrivals = nullptr);

  /// Candidates that sleep are worth waking. Then the next round is planned by wake(), before the next call.
  bool wants_to_wake() const { return wants_to_wake_; }
  /// Whether they can serve calls now. If not, the question comes again some rounds later, ever more seldom.
  void wake(bool can_serve);

  // For reports.
  const CandidateStats& stats(size_t candidate) const { return stats_[candidate]; }
  /// Median cost of the running choice on the slowest rank in recent rounds; 0 before the first.
  uint64_t reference_ns() const { return reference_ns_; }
  uint64_t loss_ns() const { return loss_ns_; }
  uint64_t elapsed_ns() const { return elapsed_ns_; }
  uint64_t round_count() const { return round_number_; }
  bool is_exploring() const { return is_exploring_; }
  const ArrivalProfile& arrivals() const { return profile_; }
  /// Who comes late, for the candidates that are for it; nullopt: they sleep.
  std::optional<uint32_t> late_rank() const { return late_rank_; }
  bool is_asleep(uint32_t candidate) const { return (sleeping_ >> candidate & 1) != 0; }
  /// Nothing is tried, and will not be before ranks come late.
  bool only_watches() const;
  /// The first k_most_switches.
  const std::vector<Switch>& switches() const { return switches_; }
  static constexpr size_t k_most_switches = 64;

 private:
  /// Since the last begin_anew() candidates are compared as where ranks come late.
  bool is_late() const { return is_late_; }

  // trial_scheduler.cpp: what a round said
  /// What the running choice typically cost in a round.
  struct Reference {
    uint64_t slowest = 0, total = 0;
  };
  using AllStats = std::vector<CandidateStats>;
  static constexpr size_t k_enough_for_own = 6;  // trials of the running choice that say what it costs
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
  void begin_anew(const Reference& reference);
  void measure_anew(const Reference& reference);
  void consider_waking();
  /// Woken and never called: that its first call takes long was part of the price, and says nothing.
  bool is_new_hope(uint32_t candidate) const {
    return is_promising(candidate) && !stats_[candidate].is_known();
  }
  bool is_promising(uint32_t candidate) const { return (promising_ >> candidate & 1) != 0; }
  bool do_others_come_late() const;
  void consider_late_rank();
  /// What the program's time says of the running choice, which was chosen by what calls cost beyond waiting.
  bool has_slowed_program() const;
  void go_back();
  void rouse(uint32_t candidates);

  // trial_scheduler_choice.cpp: which candidate runs
  void drop_the_bad();
  void choose();
  void switch_to(uint32_t candidate);
  void take_over(const Switch& event);
  Ratio own_level(const AllStats& figures) const;
  Ratio relative(const AllStats& figures, uint32_t candidate) const;
  bool leads(const AllStats& figures, uint32_t candidate) const;
  bool is_better(uint32_t candidate) const;

  // trial_scheduler_plan.cpp: what to try next
  void plan();
  void try_again();
  bool is_contender(uint32_t candidate) const;
  bool add_affordable(uint64_t call, std::vector<Visit>* visits) const;
  void add_watched(uint64_t call, std::vector<Visit>* visits);
  uint64_t visit_loss(const Visit& visit) const;
  Visit next_visit(uint32_t candidate) const;
  uint64_t cheapest_loss() const;
  uint64_t budget_of(uint64_t ns) const;
  int64_t left_budget_ns(uint64_t call) const;
  uint64_t call_ns() const;
  uint64_t watch_calls() const;
  void start_first_round();
  void start_round(uint64_t first_call, const std::vector<Visit>& visits);
  void start_round(uint64_t first_call, std::vector<Slot> slots, uint64_t delay_calls);
  uint64_t delay_calls() const;

  TunerOptions options_;
  uint32_t native_;
  uint32_t choice_ = 0;
  // By the cost of the slowest rank, which also says who is dropped and what trials may cost.
  AllStats stats_;
  AllStats totals_;  // by that of all ranks together; they have the same trials
  Round round_;
  std::vector<Visit> visits_;  // of round_
  uint64_t round_number_ = 0;
  uint64_t elapsed_ns_ = 0, elapsed_calls_ = 0;
  uint64_t loss_ns_ = 0;
  uint64_t reference_ns_ = 0;  // of the running choice, over up to k_reference_rounds rounds
  uint32_t reference_rounds_ = 0;
  uint32_t suspicions_ = 0;  // rounds in a row in which the running choice cost something else than before
  uint32_t calm_ = 0;        // uneventful rounds of watching
  uint32_t rotation_ = 0;
  uint64_t lag_calls_ = 1;  // between the last slot and the exchange: nonblocking calls take time to complete
  uint32_t failures_ = 0;   // rounds in a row that measured too little
  bool is_exploring_ = true;
  ArrivalProfile profile_;
  // Where ranks are late: what trials are counted in, and what the profile was like.
  bool is_late_ = false;
  Reference unit_;
  uint64_t spread_at_start_ns_ = 0;
  /// All the program's time, from round to round.
  struct Pace {
    uint64_t ns = 0, calls = 0;
    uint64_t call_ns() const { return ns / calls; }
  };
  Pace pace_, former_pace_;  // with the running choice, and with the one before
  uint32_t former_ = 0;
  uint32_t sleeping_;       // bit i: candidate i
  uint32_t promising_ = 0;  // likewise
  std::optional<uint32_t> late_rank_;
  bool wants_to_wake_ = false;
  uint64_t calls_to_waking_ = UINT64_MAX;  // until it is worth its price, if things stay as they are
  uint32_t vain_wakings_ = 0;
  uint64_t next_waking_ = 0;  // round
  std::vector<Switch> switches_;
};

}  // namespace tutti::select
