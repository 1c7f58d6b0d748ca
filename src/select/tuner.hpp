#pragma once
// Run-time selection for one call site (DESIGN §7): a persistent request, or the plain calls of one kind,
// size class and communicator. No MPI in here; whoever makes the calls also carries out the reductions:
//
//   if (tuner.must_agree()) {                             // rare, and then usually without waiting
//     finish the reduction that is under way;
//     tuner.agreed(...);
//   }
//   if (tuner.wants_to_wake()) tuner.wake(...);           // very rare
//   if (auto mine = tuner.next_measured(now_ns, who))     // rare
//     start a nonblocking allreduce of mine->arrivals(), if it has any, by Arrivals::add(), and after it one of
//     mine->contribution(), by Contribution::add();
//   const Turn turn = tuner.begin(now_ns);
//   serve the call with tuner.candidate(turn.candidate);
//   tuner.end(turn, sample);                              // when it has completed; any later time, any order
//
// Which candidate serves call number k, and before which calls a reduction starts and has to be finished, is
// a function of k and of what all ranks agreed on before: all ranks do the same at the same call,
// however different what they measure and whenever the reductions finish on each of them. agreed() may be
// called as soon as the reductions have finished; it takes effect at the agreed call.
//
// Needs from the program what MPI demands anyway: all ranks call the site equally often and in the same order
// (collectives of one communicator), and create the Tuner with the same candidates and options.
// Used by one thread at a time. begin() and end() allocate nothing while nothing is decided.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "select/arrivals.hpp"
#include "select/candidate.hpp"
#include "select/measure.hpp"
#include "select/trial_scheduler.hpp"

namespace tutti::select {

/// One call of the site.
struct Turn {
  uint64_t call = 0;
  uint32_t candidate = 0;  // index into the list given to the Tuner
  bool is_trial = false;   // end() wants a sample
};

/// What is known about a candidate, for reports.
struct CandidateReport {
  Candidate candidate;
  uint32_t trials = 0;     // kept, of those that all ranks agreed on
  uint64_t median_ns = 0;  // of the slowest rank, at the running choice's present level; 0: not tried
  bool is_dropped = false;
};

class Tuner {
 public:
  /// `candidates` is not empty; the first one runs until another proves better, and the native MPI is among
  /// them.
  Tuner(std::vector<Candidate> candidates, const TunerOptions& options);

  /// The contributions of all ranks have to be there before the next call can begin.
  bool must_agree() const {
    return next_call_ >= scheduler_.round().effect_call && !agreed_ && !wants_to_wake();
  }
  /// A contribution was given and agreed() not called since: a reduction is under way. At the end of the
  /// communicator's life it is to be finished and forgotten.
  bool is_agreeing() const { return is_given_ && !agreed_; }
  /// All that the ranks were given by next_measured(), added up. `arrivals`: nullptr where it had none.
  void agreed(const Contribution& all, const Arrivals* arrivals = nullptr);
  /// What has been agreed on takes effect if the next call is the one. must_agree() is false.
  void advance() {
    if (next_call_ >= scheduler_.round().effect_call && agreed_) take_effect();
  }
  /// After advance(), at the same call on all ranks: as TrialScheduler has them.
  bool wants_to_wake() const { return scheduler_.wants_to_wake(); }
  void wake(bool can_serve);
  /// Before every begin(), at the same call on all ranks: what to reduce, once per round. `rank`: this one.
  std::optional<Measured> next_measured(uint64_t now_ns, uint32_t rank = 0, const CommonClock& clock = {}) {
    if (next_call_ < scheduler_.round().due_call || is_given_) return std::nullopt;
    return measured(now_ns, rank, clock);
  }

  /// The next call. must_agree() and wants_to_wake() are false, and next_measured() has been asked.
  Turn begin(uint64_t now_ns) {
    if (next_call_ == 0) first_call_ns_ = now_ns;
    advance();
    const int slot = scheduler_.round().slot_of(next_call_);
    const uint32_t serving =
        slot < 0 ? scheduler_.choice() : scheduler_.round().slots[static_cast<size_t>(slot)].candidate;
    return {next_call_++, serving, slot >= 0};
  }
  /// The latest call has not taken place: the next one gets its turn.
  void take_back(const Turn& turn) { next_call_ = turn.call; }
  /// The calls from the next one on that the running choice serves whatever happens: they may be made without
  /// begin(). At most `most`; they count as made.
  uint64_t skip_quiet_calls(uint64_t most);
  /// The call has completed. Ignored where it is no trial or comes too late.
  void end(const Turn& turn, const Sample& sample);

  const Candidate& candidate(uint32_t index) const { return candidates_[index]; }
  size_t candidate_count() const { return candidates_.size(); }

  // For reports; the same on all ranks between the same calls.
  const TrialScheduler& scheduler() const { return scheduler_; }
  CandidateReport report_of(uint32_t index) const;
  /// Nothing is tried, and will not be before ranks come late.
  bool only_watches() const { return scheduler_.only_watches(); }
  /// Why the running choice runs, in one line.
  std::string reason() const;
  uint64_t call_count() const { return next_call_; }

 private:
  Measured measured(uint64_t now_ns, uint32_t rank, const CommonClock& clock);
  void take_effect();
  std::string comparison(const Switch& last) const;

  std::vector<Candidate> candidates_;
  TrialScheduler scheduler_;
  const std::optional<arrival::Waits> waits_;
  uint64_t next_call_ = 0;
  uint64_t first_call_ns_ = 0;
  std::vector<Trial> trials_;  // one for each slot of the round
  bool is_given_ = false;
  struct Agreed {
    Contribution all;
    std::optional<Arrivals> arrivals;
  };
  std::optional<Agreed> agreed_;
};

}  // namespace tutti::select
