#pragma once
// One call site of the program: selects the candidate that serves its next call (docs/selection.md). Connects the
// Tuner, which is independent of MPI, to the agreements that it needs.

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "collective/agreement.hpp"
#include "select/learned.hpp"
#include "select/tuner.hpp"

namespace tutti::collective {

class CallSite {
 public:
  CallSite(AgreementEndpoint& endpoint, uint32_t number, const select::SiteShape& shape,
           std::vector<select::Candidate> candidates, const select::TunerOptions& options,
           bool measures_periods = false);

  /// The cost of a call is the whole time until the next one, because a call that returns early can delay the program
  /// later or slow its computation down.
  bool measures_periods() const { return measures_periods_; }

  /// The candidate for the next call. If the ranks have to agree first, waits until all of them have reached this call.
  /// `enable_candidates`: called at the same call on all ranks when disabled candidates would be useful; returns
  /// whether they can serve calls now, the same on all ranks.
  select::ServedCall next(const std::function<bool()>& enable_candidates);

  /// The same for calls that may not wait. nullopt: the candidate is unknown until the ranks agree. Then this call and
  /// all later ones are held back, and next_held_back() is called for each of them, in the order of the calls.
  std::optional<select::ServedCall> next_at_once();
  std::optional<select::ServedCall> next_held_back();

  /// The latest call, `served_call`, did not take place: the next call gets its number.
  void take_back(const select::ServedCall& served_call);

  /// Number of calls, from the next one on, that the native MPI serves in any case; the site counts them as made.
  uint32_t skip_native_calls();

  /// The call has completed.
  void end(const select::ServedCall& served_call, const select::Sample& sample);

  const select::Candidate& candidate(uint32_t index) const { return tuner_.candidate(index); }
  const select::SiteShape& shape() const { return shape_; }

  /// As Tuner::only_watches(); false if inspect() fails. Any thread, any time.
  bool only_watches() const {
    bool is_so = false;
    inspect([&](const select::Tuner& tuner) { is_so = tuner.only_watches(); });
    return is_so;
  }

  /// Visits the tuner, for reports. Any thread, any time. False: the lock is held by a call that waits too long for
  /// the other ranks' agreement; a process that ends does not wait for it.
  template <class Visit>
  bool inspect(Visit visit) const {
    const std::unique_lock lock = lock_within_patience();
    if (lock.owns_lock()) visit(tuner_);
    return lock.owns_lock();
  }

 private:
  std::optional<select::ServedCall> try_next(uint64_t now_ns);
  std::unique_lock<std::mutex> lock_within_patience() const;

  AgreementEndpoint& endpoint_;
  const select::SiteShape shape_;
  mutable std::mutex mutex_;  // locked by the calls, by the thread of held-back calls, and by reports
  select::Tuner tuner_;
  uint64_t held_back_ = 0;  // calls whose candidate is not known yet
  Agreement agreement_;
  const bool measures_periods_;
  struct Returned {
    select::ServedCall served_call;
    select::Sample sample;
    uint64_t at_ns = 0;
  };
  std::optional<Returned> returned_;  // measures_periods(): the latest trial, whose period has not ended
};

}  // namespace tutti::collective
