#pragma once
// Decides what serves the calls on one communicator: the rules and run-time selection choose a candidate, its backend
// prepares the call (backend/backend.hpp), and a cache keeps what was prepared.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/backend/backend.hpp"
#include "collective/call_site_table.hpp"
#include "collective/dispatched_call.hpp"
#include "collective/early_return_policy.hpp"
#include "collective/observer.hpp"
#include "collective/plan_cache.hpp"
#include "collective/process_context.hpp"
#include "select/selector.hpp"

namespace tutti::collective {

/// Every rank gets the same decision, because decisions depend on rank-invariant data only. Used by one thread at a
/// time, as MPI requires for collectives on one communicator, except prepare_candidate().
class CollectiveDispatcher {
 public:
  CollectiveDispatcher(ProcessContext& process, const CommunicatorView& group,
                       std::shared_ptr<const select::CommunicatorRules> rules);

  /// True if the rules leave a call of this size to the native MPI and run-time selection does not observe it. Cheap.
  /// `binding_reason`: as in CommunicatorRules::is_native().
  bool goes_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                   select::CallInterface interface, const std::string** binding_reason = nullptr) const;

  /// True if blocking calls of this collective may return before their operations have ended. Cheap.
  bool may_return_early(algorithm::Collective collective) const {
    return collective::may_return_early(context_.options, topology(), collective);
  }

  /// Counts a call that the native MPI served, or undoes the count of one that it refused (`took_place` is false): a
  /// refused call has not taken place, and counting it would put the ranks out of step.
  void on_native_completed(const CallEvent& event, bool took_place);

  /// Counter for blocking calls that goes_native() let pass and that the native MPI did not refuse; used instead of
  /// on_native_completed(). While calls are left, goes_native() lets the next one of the same size pass, too. The
  /// pointer stays valid. nullptr: all calls pass from now on.
  PassingCalls* limited_calls(algorithm::Collective collective, uint64_t bytes, bool bytes_known) {
    return sites_.limited_calls(collective, bytes, bytes_known);
  }

  /// Decides what serves a call, and prepares it. Waits for the other ranks only if the call is blocking.
  /// `expected_starts`: of a persistent collective; 0: unknown.
  DispatchedCall prepare(const algorithm::Request& request, select::CallInterface interface,
                         uint64_t expected_starts = 0);
  /// The same for an algorithm that the program demands by a hint; native if that cannot serve the request.
  PreparedCall prepare_hint(const algorithm::Request& request, select::CallInterface interface,
                            const algorithm::Choice& choice);
  /// Prepares a candidate of a site for a request. Any thread.
  PreparedCall prepare_candidate(const algorithm::Request& request, const CallSite& site, uint32_t candidate);

  /// The second part of a call, after the first has brought the sizes of the blocks that pass through this rank. An
  /// error affects this rank only; the operation still runs, because the other ranks depend on it.
  base::Result<std::shared_ptr<const engine::Plan>> plan_second_part(const TwoPhaseCall& call,
                                                                     std::span<const uint64_t> passing_sizes);

  /// Collective: agrees on the bytes of node memory that one operation may use on every node (the minimum over ranks),
  /// and on those of an agent operation (0 if a node has no agent). Called once, before the first blocking call is
  /// prepared; until then both are 0.
  void agree_on_node_bytes(uint64_t mine, uint64_t of_agents);
  /// The same without communication, where every rank knows what all nodes have.
  void know_node_bytes(uint64_t of_all) {
    has_node_bytes_ = true;
    context_.node_bytes = of_all;
  }
  bool has_node_bytes() const { return has_node_bytes_; }
  /// Bytes of an agent operation that the ranks have agreed on.
  uint64_t agent_bytes() const { return context_.agent_bytes; }

  const CallSiteTable& sites() const { return sites_; }

 private:
  /// Collective: the minimum over ranks of each of the two numbers.
  std::pair<uint64_t, uint64_t> least_of(uint64_t a, uint64_t b);
  /// Collective: called when late ranks delay others and agents might help. Returns whether agents can serve the call,
  /// the same on all ranks.
  bool find_agents(const algorithm::RankInvariantRequest& request);
  CallSite* find_site(const algorithm::RankInvariantRequest& request, select::CallInterface interface,
                      uint64_t expected_starts, const std::optional<EarlyReturnChoice>& early);
  PreparedCall prepare_by_rules(const algorithm::Request& request, select::CallInterface interface);
  /// Selects how a blocking call returns early; nullopt if it must block.
  std::optional<EarlyReturnChoice> find_early_return(const algorithm::RankInvariantRequest& request) const;
  PreparedCall prepare_early(const algorithm::Request& request, const EarlyReturnChoice& choice);
  /// The decision of the rules.
  select::Decision decide(const algorithm::RankInvariantRequest& request,
                          select::CallInterface interface) const;
  /// Whether the candidate's backend can serve calls like this one; the same on all ranks. Error: the reason why not.
  base::Status can_serve(const algorithm::RankInvariantRequest& request, const select::Candidate& use,
                         select::CallInterface interface) const;
  /// The candidate with the leader policy of the options, where no rule names one.
  select::Candidate with_leader(select::Candidate use) const;
  /// Prepares a decision; if its backend cannot serve the call, the native MPI does, and between threads the rules.
  PreparedCall prepare_if_able(const algorithm::Request& request, select::CallInterface interface,
                               select::Decision decision) const;
  /// Prepares a decision that its backend can serve.
  PreparedCall prepare_decision(const algorithm::Request& request, select::CallInterface interface,
                                select::Decision decision) const;
  Execution execution_of(select::CallInterface interface, select::ProgressMode mode) const;
  const topology::Topology& topology() const { return *context_.group.topology; }
  PlanCache& plans_of(select::CallInterface interface);

  ProcessContext& process_;
  BackendContext context_;
  std::shared_ptr<const select::CommunicatorRules> rules_;
  PlanCache blocking_plans_, nonblocking_plans_, persistent_plans_;  // only the first uses node memory
  CallSiteTable sites_;
  std::optional<Agreement> memory_;
  bool has_node_bytes_ = false;
};

}  // namespace tutti::collective
