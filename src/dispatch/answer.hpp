#pragma once
// What serves one call of the program.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"
#include "algorithm/owned_request.hpp"
#include "base/status.hpp"
#include "engine/plan.hpp"
#include "select/candidate.hpp"
#include "select/tuner.hpp"

namespace tutti::dispatch {

class AccessRecorder;
class CallSite;
struct ReportLine;

/// How a schedule is carried out. The interface by which the program called (select::CallKind) is another
/// question: a blocking call, too, can be carried out by the progress thread, its request being kept for it.
struct Execution {
  select::ProgressMode mode = select::ProgressMode::automatic;
  /// The caller may do the work itself, because it has nothing to return to before the end.
  bool waits_inside = false;
  /// Schedules may use the memory that the ranks of a node share, which all of them have promised.
  bool has_node_memory = false;
  /// The program may go on before the operation has ended, as far as its buffers permit that, which each rank finds out
  /// by itself (DESIGN §6a).
  bool returns_early = false;

  bool is_on_callers_thread() const {
    return waits_inside && (mode == select::ProgressMode::automatic || mode == select::ProgressMode::in_call);
  }
};

/// What a call by this interface may do. The promise of node memory takes a call that may wait for the others.
inline Execution execution_of(select::CallKind interface, select::ProgressMode mode) {
  const bool is_early = mode == select::ProgressMode::early;
  const bool waits = interface == select::CallKind::blocking && !is_early;
  return {.mode = is_early ? select::ProgressMode::automatic : mode,
          .waits_inside = waits,
          .has_node_memory = waits,
          .returns_early = is_early && interface == select::CallKind::blocking};
}

/// A call that the nodes' agents carry out.
struct AgentCall {
  agent::Description whole;
  bool in_place = false;  // on this rank
  /// Has the blocks of different sizes in this rank's buffers, with offsets; nullptr: all are alike.
  std::shared_ptr<const algorithm::OwnedRequest> parts;
};

/// The second part of a call whose blocks pass through ranks that do not know their sizes (algorithm/relay.hpp).
struct RelayedCall {
  algorithm::Choice choice;
  std::shared_ptr<const algorithm::OwnedRequest> request;
  uint32_t candidate = 0;                    // its number in the plan cache
  std::vector<algorithm::Passage> passages;  // what reaches this rank

  /// Whether what ends on rank `me` is as long as its program expects. `passing_sizes`: of `passages`. Error:
  /// invalid_argument, as for a message of another length; the call takes place all the same, because the others wait.
  base::Status check(algorithm::Rank me, std::span<const uint64_t> passing_sizes) const;
};

/// A decision that has been prepared to be carried out.
struct Prepared {
  std::shared_ptr<const engine::Plan> plan;  // nullptr: agents, the native MPI, or `failure`
  std::optional<AgentCall> agents;
  /// `plan` is of its first part, which brings the sizes.
  std::optional<RelayedCall> relayed;
  base::Status failure;        // this rank alone cannot do its part
  ReportLine* line = nullptr;  // nullptr: no report is wanted
  Execution execution;
  /// Access recorder of a call that waits for its data although it could return early, so that the order of the
  /// program's accesses can be learned; nullptr for any other call.
  std::shared_ptr<AccessRecorder> recorder;

  bool is_native() const { return plan == nullptr && !agents && failure; }
};

/// The answer to a call.
struct Answer {
  Prepared prepared;
  CallSite* site = nullptr;          // that chose among its candidates; nullptr: the rules chose
  std::optional<select::Turn> turn;  // of the site; nullopt: the ranks have to agree first, which takes no
                                     // call that may not wait
  bool is_open() const { return site != nullptr && !turn; }
  bool is_trial() const { return turn && turn->is_trial; }
};

}  // namespace tutti::dispatch
