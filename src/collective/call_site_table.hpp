#pragma once
// The call sites of one communicator. A site is the calls of one collective, one interface and one size class, or one
// persistent request.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "algorithm/rank_invariant_request.hpp"
#include "collective/access_order_learner.hpp"
#include "collective/agreement.hpp"
#include "collective/call_site.hpp"
#include "collective/dispatched_call.hpp"
#include "collective/process_context.hpp"
#include "select/candidate.hpp"
#include "select/selector.hpp"

namespace tutti::collective {

/// Number of calls of one collective and size class that still go to the native MPI without being observed.
struct PassingCalls {
  static constexpr uint32_t k_all = UINT32_MAX;
  uint32_t left = k_all;

  bool is_any() const { return left != 0; }
  /// Counts a call that passed.
  void count() {
    if (left != 0 && left != k_all) --left;
  }
};

/// Used by the thread that is inside a collective on the communicator.
///
/// Blocking calls that the rules leave to the native MPI are sites, too, if agents could help them when ranks are late.
/// Only some of these calls are observed; all others cost one counter.
class CallSiteTable {
 public:
  CallSiteTable(ProcessContext& process, const CommunicatorView& group,
                const select::CommunicatorRules& rules);

  /// True if a blocking call that the rules leave to the native MPI needs no observation. Does not allocate.
  bool passes(algorithm::Collective collective, uint64_t bytes, bool bytes_known) const {
    return passing_.empty() || passing_[passing_index(collective, bytes, bytes_known)].is_any();
  }
  /// Counter for calls that are known to pass; the caller counts them in it. The pointer stays valid. nullptr: all
  /// calls pass from now on.
  PassingCalls* limited_calls(algorithm::Collective collective, uint64_t bytes, bool bytes_known) {
    if (passing_.empty()) return nullptr;
    PassingCalls& passing = passing_[passing_index(collective, bytes, bytes_known)];
    return passing.left == PassingCalls::k_all ? nullptr : &passing;
  }
  /// Counts a call that the native MPI served. `site`: the site that gave it its served_call; nullptr: it passed
  /// unobserved.
  void count_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known, CallSite* site);

  /// The native MPI rejected the call's arguments: undoes its count. `dispatched`: the dispatch result of that call.
  void take_back(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                 const DispatchedCall& dispatched);

  /// Whether a candidate can serve calls like this one; the same answer on all ranks.
  using CanRun =
      std::function<bool(const algorithm::RankInvariantRequest& request, const select::Candidate& candidate)>;

  /// The site that a call belongs to. nullptr: the rules decide, because a binding rule applies, because there is only
  /// one candidate, or because there have been too few calls. All ranks get the same answer. Never waits. `early`: the
  /// candidate by which the call can return early; the site of such calls measures periods.
  CallSite* find(const algorithm::RankInvariantRequest& request, select::CallInterface interface,
                 const CanRun& can_run, const std::optional<select::Candidate>& early = {});

  /// Creates a site for one persistent request; it lives as long as the communicator. nullptr: the rules decide. All
  /// ranks call this for the requests of a communicator in the same order.
  CallSite* make_for_request(const algorithm::RankInvariantRequest& request, uint64_t expected_starts,
                             const CanRun& can_run);

  /// Site that learns the order in which the program uses the results of early-return calls like this one. nullptr:
  /// there are too many sites. All ranks call this for the same calls.
  AccessOrderLearner* find_order(const algorithm::RankInvariantRequest& request);

  /// State shared by all agreements of this communicator; created at the first call.
  AgreementEndpoint& endpoint();

  /// Any thread.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(growth_);
    for (const auto& site : of_requests_) visit(*site);
    for (const auto& [key, slot] : slots_)
      if (slot.site != nullptr) visit(*slot.site);
  }

 private:
  struct Slot {
    uint32_t calls = 0;
    std::unique_ptr<CallSite> site;
  };
  std::unique_ptr<CallSite> make(const algorithm::RankInvariantRequest& request,
                                 select::CallInterface interface, uint64_t expected_calls,
                                 const CanRun& can_run, const std::optional<select::Candidate>& early = {});
  std::vector<select::Candidate> early_candidates(const algorithm::RankInvariantRequest& request,
                                                  const select::Candidate& early,
                                                  const select::Candidate& rule, const CanRun& can_run) const;
  std::vector<select::Candidate> candidates(const algorithm::RankInvariantRequest& request,
                                            select::CallInterface interface, const select::Candidate& rule,
                                            const CanRun& can_run) const;
  /// True if the rules leave blocking calls like this one to the native MPI, and only late ranks could change that.
  bool only_watches(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                    select::CallInterface interface) const;
  bool only_watches(const algorithm::RankInvariantRequest& request, select::CallInterface interface) const;
  /// True if this communicator opens agents when ranks are late.
  bool looks_for_late(select::CallInterface interface) const;
  bool could_use_agents(const algorithm::RankInvariantRequest& request,
                        select::CallInterface interface) const;
  static size_t passing_index(algorithm::Collective collective, uint64_t bytes, bool bytes_known);
  void stop_watching(const algorithm::RankInvariantRequest& request);
  Slot& slot_of(const algorithm::RankInvariantRequest& request, select::CallInterface interface);

  ProcessContext& process_;
  const CommunicatorView group_;
  const select::CommunicatorRules& rules_;
  std::optional<AgreementEndpoint> endpoint_;
  std::unordered_map<uint32_t, std::unique_ptr<AccessOrderLearner>> orders_;  // nullptr: there are too many
  std::vector<PassingCalls> passing_;  // by collective and size class; empty: all calls pass
  mutable std::mutex growth_;  // of the members below: held to add to them, and by other threads to read them
  std::unordered_map<uint32_t, Slot> slots_;
  std::vector<std::unique_ptr<CallSite>> of_requests_;
};

}  // namespace tutti::collective
