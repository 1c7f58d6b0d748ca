#pragma once
// Run-time selection for one call site (DESIGN §7): a persistent request, or the plain calls of one kind, size class
// and communicator. Contains no MPI calls; the caller also carries out the reductions:
//
//   if (tuner.must_agree()) {                             // rare, and then usually without waiting
//     finish the reduction that is under way;
//     tuner.agreed(...);
//   }
//   if (tuner.wants_candidates()) tuner.enable_candidates(...);           // very rare
//   if (auto mine = tuner.next_measured(now_ns, who))     // rare
//     start a nonblocking allreduce of mine->arrivals(), if it has any, by Arrivals::add(), and after it one of
//     mine->measurements(), by RoundMeasurements::add();
//   const ServedCall served_call = tuner.begin(now_ns);
//   serve the call with tuner.candidate(served_call.candidate);
//   tuner.end(served_call, sample);                              // when it has completed; any later time, any order
//
// Which candidate serves call number k, and before which calls a reduction starts and must be finished, is a function
// of k and of the earlier agreements. So all ranks act alike at the same call, whatever each of them measures and
// whenever the reductions finish on each of them. agreed() may be called as soon as the reductions have finished; it
// takes effect at the agreed call.
//
// Requires from the program only what MPI requires: all ranks call the site equally often and in the same order
// (collectives of one communicator). The Tuner must be created with the same candidates and options on all ranks. Not
// thread-safe. begin() and end() do not allocate, except when an agreement takes effect.

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
struct ServedCall {
  uint64_t call = 0;
  uint32_t candidate = 0;  // index into the list given to the Tuner
  bool is_trial = false;   // end() needs a sample
};

/// State of a candidate, for reports.
struct CandidateReport {
  Candidate candidate;
  uint32_t trials = 0;     // kept ones that all ranks agreed on
  uint64_t median_ns = 0;  // of the slowest rank, scaled to the running choice's current cost; 0: not tried
  bool is_dropped = false;
};

class Tuner {
 public:
  /// The first candidate is the initial running choice. The others are compared with the native MPI, or with the first
  /// one where there is no native MPI among them.
  Tuner(std::vector<Candidate> candidates, const TunerOptions& options);

  /// Whether the measurements of all ranks must be combined before the next call can begin.
  bool must_agree() const {
    return next_call_ >= scheduler_.round().effect_call && !agreed_ && !wants_candidates();
  }
  /// Whether a reduction is pending: next_measured() has returned measurements, and agreed() was not called since.
  /// When the communicator is freed the reduction must be finished and its result discarded.
  bool is_agreeing() const { return is_given_ && !agreed_; }
  /// Passes the combined measurements of all ranks. `arrivals`: nullptr if there were none.
  void agreed(const RoundMeasurements& all, const Arrivals* arrivals = nullptr);
  /// Applies the agreement if the next call is the agreed one. Requires that must_agree() is false.
  void advance() {
    if (next_call_ >= scheduler_.round().effect_call && agreed_) take_effect();
  }
  /// As in TrialScheduler. Use after advance(), at the same call on all ranks.
  bool wants_candidates() const { return scheduler_.wants_candidates(); }
  void enable_candidates(bool can_serve);
  /// Measurements to reduce, once per round. Call it before every begin(), at the same call on all ranks. `rank`: this
  /// rank.
  std::optional<Measured> next_measured(uint64_t now_ns, uint32_t rank = 0, const CommonClock& clock = {}) {
    if (next_call_ < scheduler_.round().due_call || is_given_) return std::nullopt;
    return measured(now_ns, rank, clock);
  }

  /// Starts the next call. Requires that must_agree() and wants_candidates() are false, and that next_measured() was
  /// called.
  ServedCall begin(uint64_t now_ns) {
    if (next_call_ == 0) first_call_ns_ = now_ns;
    advance();
    const int slot = scheduler_.round().slot_of(next_call_);
    const uint32_t serving =
        slot < 0 ? scheduler_.choice() : scheduler_.round().slots[static_cast<size_t>(slot)].candidate;
    return {next_call_++, serving, slot >= 0};
  }
  /// Undoes the latest begin(): the call did not take place.
  void take_back(const ServedCall& served_call) { next_call_ = served_call.call; }
  /// Number of next calls that the running choice serves in any case, at most `most`. They count as made, and may be
  /// made without begin().
  uint64_t skip_quiet_calls(uint64_t most);
  /// The call has completed. Ignored if it is no trial, or if the measurements of its round were already returned.
  void end(const ServedCall& served_call, const Sample& sample);

  const Candidate& candidate(uint32_t index) const { return candidates_[index]; }
  size_t candidate_count() const { return candidates_.size(); }

  // For reports; the same on all ranks between the same calls.
  const TrialScheduler& scheduler() const { return scheduler_; }
  CandidateReport report_of(uint32_t index) const;
  /// Whether there are no trials, and none before arrivals become skewed.
  bool only_watches() const { return scheduler_.only_watches(); }
  /// Why the running choice was selected, in one line.
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
    RoundMeasurements all;
    std::optional<Arrivals> arrivals;
  };
  std::optional<Agreed> agreed_;
};

}  // namespace tutti::select
