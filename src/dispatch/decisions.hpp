#pragma once
// What serves the calls on one communicator: from a request to a prepared plan, or to the native MPI.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/answer.hpp"
#include "dispatch/call_site_table.hpp"
#include "dispatch/early.hpp"
#include "dispatch/observer.hpp"
#include "dispatch/plan_cache.hpp"
#include "dispatch/services.hpp"
#include "select/selector.hpp"

namespace tutti::dispatch {

/// Every rank gets the same decision, because it depends only on what they all know. Used by one thread at a
/// time, as MPI demands of collectives on one communicator, but for prepare_candidate().
class Decisions {
 public:
  Decisions(Services& services, const Group& group, std::shared_ptr<const select::CommunicatorRules> rules);

  /// No rule wants a call of this size, and run-time selection does not look at it: the cheap way out.
  /// `binding_reason`: as CommunicatorRules::is_native() has it.
  bool goes_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                   select::CallKind interface, const std::string** binding_reason = nullptr) const;

  /// Blocking calls of this collective may return before their operations have ended. Cheap.
  bool may_return_early(algorithm::Collective collective) const {
    return dispatch::may_return_early(services_.options(), *group_.topology, collective);
  }

  /// The native MPI has served a call, or (not `is_good`) refused it: then it has not taken place, and ranks stay in
  /// step only if it does not count here either.
  void native_is_over(const CallEvent& event, bool is_good);

  /// The same for a blocking call that goes_native() has let pass, and that was not refused: it counts here. Where
  /// some still pass, goes_native() lets the next of the same size pass, too. Stays where it is.
  PassingCalls* limited_calls(algorithm::Collective collective, uint64_t bytes, bool bytes_known) {
    return sites_.limited_calls(collective, bytes, bytes_known);
  }

  /// The answer for a request: which plan, or none for the native MPI. A call that does not block never waits
  /// for the other ranks. `expected_starts` of a persistent collective; 0: unknown.
  Answer prepare(const algorithm::Request& request, select::CallKind interface, uint64_t expected_starts = 0);
  /// The same for a choice that the program has made, unless that cannot serve the request.
  Prepared prepare_hint(const algorithm::Request& request, select::CallKind interface,
                        const algorithm::Choice& choice);
  /// What a candidate of a site is for a request. Any thread.
  Prepared prepare_candidate(const algorithm::Request& request, const CallSite& site, uint32_t candidate);

  /// The second part of a call, when the first has brought the sizes of what passes through this rank. An error
  /// affects this rank only; the operation still runs, because the other ranks depend on it.
  base::Result<std::shared_ptr<const engine::Plan>> plan_second_part(const RelayedCall& call,
                                                                     std::span<const uint64_t> passing_sizes);

  /// Collective: the ranks agree on the bytes of node memory that one operation may use on every node, the
  /// least that any of them has; and on those of an operation of agents, 0 where a node has no agent. Once,
  /// before the first blocking call is prepared; until then there are none.
  void agree_on_node_bytes(uint64_t mine, uint64_t of_agents);
  bool has_node_bytes() const { return has_node_bytes_; }
  /// What the ranks have agreed on.
  uint64_t agent_bytes() const { return agent_bytes_; }

  const CallSiteTable& sites() const { return sites_; }

 private:
  /// Collective: the least of the ranks' two numbers.
  std::pair<uint64_t, uint64_t> least_of(uint64_t a, uint64_t b);
  /// Collective: late ranks hold up others, and agents might help. Whether they can, the same on all ranks.
  bool find_agents(const algorithm::Request& common);
  Prepared prepare_by_rules(const algorithm::Request& request, select::CallKind interface);
  /// Selects how this call returns early; nullopt if it must block.
  std::optional<EarlyWay> find_early_way(const algorithm::Request& request, select::CallKind interface) const;
  Prepared prepare_early(const algorithm::Request& request, const EarlyWay& way);
  Prepared realise(const algorithm::Request& request, select::CallKind interface, select::Decision decision);
  base::Status plan(const algorithm::Request& request, const select::Candidate& use,
                    Prepared* prepared) const;
  base::Result<AgentCall> call_for_agents(const algorithm::Request& request,
                                          const algorithm::Choice& choice) const;
  base::Status check_memory(const algorithm::Request& common, const algorithm::Choice& choice,
                            bool has_node_memory) const;
  base::Result<std::shared_ptr<const engine::Plan>> make_plan(const algorithm::Request& request,
                                                              const algorithm::Choice& choice) const;
  base::Status plan_first_part(const algorithm::Request& request, const algorithm::Choice& choice,
                               Prepared* prepared) const;
  PlanCache& plans_of(select::CallKind interface);

  Services& services_;
  const Group group_;
  std::shared_ptr<const select::CommunicatorRules> rules_;
  PlanCache blocking_plans_, nonblocking_plans_, persistent_plans_;  // the first use node memory
  CallSiteTable sites_;
  std::optional<Agreement> memory_;
  std::string no_agents_;  // as select::applies() has it
  uint64_t node_bytes_ = 0, agent_bytes_ = 0;
  bool has_node_bytes_ = false;
};

}  // namespace tutti::dispatch
