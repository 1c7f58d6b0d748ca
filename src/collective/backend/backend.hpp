#pragma once
// Backends: what can carry out a call. A backend is one source file of this folder and one line of backend.cpp.

#include <cstdint>
#include <memory>

#include "algorithm/rank_invariant_request.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/dispatched_call.hpp"
#include "collective/process_context.hpp"
#include "engine/plan.hpp"
#include "select/candidate.hpp"

namespace tutti::collective {

/// What backends know about one communicator. The same on all ranks, except `group.rank` and `options.wait_policy`.
struct BackendContext {
  const Options& options;
  const CommunicatorView group;
  /// Bytes that one operation may use on every node: of the node's shared memory, and of its agent (0: a node has no
  /// agent). The ranks agree on them before the first blocking call; until then both are 0.
  uint64_t node_bytes = 0, agent_bytes = 0;
};

/// A row of the list of backends. Stateless; any thread.
struct Backend {
  /// Whether this backend carries out such candidates. The first row that does is the candidate's backend.
  bool (*takes)(const select::Candidate& candidate, const Execution& execution);
  /// Whether calls like this one can be carried out; the same answer on all ranks. Error: the reason why not.
  base::Status (*can_serve)(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                            const select::Candidate& candidate, const Execution& execution);
  /// Prepares this rank's part of a call for which can_serve() is ok. Error out_of_memory concerns this rank only; any
  /// other error occurs on all ranks, because builders refuse requests by rank-invariant data.
  base::Result<CallWork> (*prepare)(const BackendContext& context, const algorithm::Request& request,
                                    const select::Candidate& candidate, const Execution& execution);
  uint32_t operations_per_call = 1;
};

const Backend& backend_of(const select::Candidate& candidate, const Execution& execution);

/// Whether every node has the memory that a choice needs. A rank that is alone on its node has it, unless the call does
/// not wait inside. Error: not_supported, or the error of the schedule.
base::Status has_memory_for(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                            const algorithm::Choice& choice, bool has_node_memory);
/// The plan of this rank's schedule. Errors as in Backend::prepare().
base::Result<std::shared_ptr<const engine::Plan>> plan_of(const BackendContext& context,
                                                          const algorithm::Request& request,
                                                          const algorithm::Choice& choice);

}  // namespace tutti::collective
