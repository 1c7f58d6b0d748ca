#pragma once
// One call site of the program: which candidate serves its next call (docs/selection.md). Joins the Tuner,
// which knows no MPI, with the agreements that it needs.

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "dispatch/agreement.hpp"
#include "select/learned.hpp"
#include "select/tuner.hpp"

namespace tutti::dispatch {

class CallSite {
 public:
  CallSite(AgreementEndpoint& endpoint, uint32_t number, const select::SiteShape& shape,
           std::vector<select::Candidate> candidates, const select::TunerOptions& options,
           bool measures_periods = false);

  /// What a call costs is all the time to the next one: calls that return early may hold the program up later, or slow
  /// its computation down.
  bool measures_periods() const { return measures_periods_; }

  /// The candidate for the next call. Where the ranks have to agree first, waits until all of them have come as far.
  /// `wake`: called, at the same call on all ranks, when candidates that sleep would be of use; says whether they can
  /// serve calls now, the same on all ranks.
  select::Turn next(const std::function<bool()>& wake);

  /// The same for calls that may not wait. nullopt: not known before the ranks agree. Then the call is
  /// held back, like all that come after it, and next_held_back() asks again for each of them, in the order of
  /// the calls.
  std::optional<select::Turn> next_at_once();
  std::optional<select::Turn> next_held_back();

  /// The call with that turn, the latest one, has not taken place: the next one gets it.
  void take_back(const select::Turn& turn);

  /// How many calls from the next one on are the native MPI's whatever happens; they count as made.
  uint32_t skip_native_calls();

  /// The call has completed.
  void end(const select::Turn& turn, const select::Sample& sample);

  const select::Candidate& candidate(uint32_t index) const { return tuner_.candidate(index); }
  const select::SiteShape& shape() const { return shape_; }

  /// As Tuner has it; false where inspect() says no. Any thread, any time.
  bool only_watches() const {
    bool is_so = false;
    inspect([&](const select::Tuner& tuner) { is_so = tuner.only_watches(); });
    return is_so;
  }

  /// What a report says of it. Any thread, any time. False: not to be had, because a call has been waiting for the
  /// other ranks' agreement for too long; a process that ends does not wait for them.
  template <class Visit>
  bool inspect(Visit visit) const {
    const std::unique_lock lock = lock_within_patience();
    if (lock.owns_lock()) visit(tuner_);
    return lock.owns_lock();
  }

 private:
  std::optional<select::Turn> try_next(uint64_t now_ns);
  std::unique_lock<std::mutex> lock_within_patience() const;

  AgreementEndpoint& endpoint_;
  const select::SiteShape shape_;
  mutable std::mutex mutex_;  // the thread of the calls and the one that carries out those held back
  select::Tuner tuner_;
  uint64_t held_back_ = 0;  // calls whose turn is not known yet
  Agreement agreement_;
  const bool measures_periods_;
  struct Returned {
    select::Turn turn;
    select::Sample sample;
    uint64_t at_ns = 0;
  };
  std::optional<Returned> returned_;  // the latest trial of such a site, which goes on
};

}  // namespace tutti::dispatch
