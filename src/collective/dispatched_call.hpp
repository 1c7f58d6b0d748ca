#pragma once
// The dispatch result for one call of the program: what serves it, and how.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"
#include "algorithm/owned_request.hpp"
#include "base/status.hpp"
#include "engine/plan.hpp"
#include "select/candidate.hpp"
#include "select/tuner.hpp"

namespace tutti::collective {

class AccessRecorder;
class CallSite;
struct ReportLine;

/// How a schedule is carried out. This is independent of the interface by which the program called
/// (select::CallInterface): the progress thread can carry out a blocking call, too.
struct Execution {
  select::ProgressMode mode = select::ProgressMode::automatic;
  /// The calling thread may do the work itself, because the call returns only at the end of the operation.
  bool waits_inside = false;
  /// Schedules may use the shared memory of a node. The same on all ranks.
  bool has_node_memory = false;
  /// The call may return before the operation has ended, if its buffers permit it; each rank checks its own buffers
  /// (DESIGN §6a).
  bool returns_early = false;

  bool is_on_callers_thread() const {
    return waits_inside && (mode == select::ProgressMode::automatic || mode == select::ProgressMode::in_call);
  }
};

/// Execution of a call by this interface. Node memory requires a call that may wait for the other ranks.
inline Execution execution_of(select::CallInterface interface, select::ProgressMode mode) {
  const bool is_early = mode == select::ProgressMode::early;
  const bool waits = interface == select::CallInterface::blocking && !is_early;
  return {.mode = is_early ? select::ProgressMode::automatic : mode,
          .waits_inside = waits,
          .has_node_memory = waits,
          .returns_early = is_early && interface == select::CallInterface::blocking};
}

/// The native MPI serves the call.
struct NativeCall {};

/// The engine carries out a schedule.
struct ScheduledCall {
  std::shared_ptr<const engine::Plan> plan;
};

/// On every node the first rank to arrive leads, and the schedule is built for that leader (leader_election.hpp).
struct ElectedCall {
  algorithm::Choice choice;
};

/// The agents of the nodes carry out the call.
struct AgentCall {
  agent::Description whole;
  bool in_place = false;  // on this rank
  /// Holds sizes and offsets of the blocks in this rank's buffers; nullptr: all blocks have the same size.
  std::shared_ptr<const algorithm::OwnedRequest> parts;
};

/// The engine carries out two schedules, because blocks pass through ranks that do not know their sizes
/// (algorithm/block_forwarding.hpp).
struct TwoPhaseCall {
  std::shared_ptr<const engine::Plan> sizes_plan;  // the first schedule, which brings the sizes
  algorithm::Choice choice;
  std::shared_ptr<const algorithm::OwnedRequest> request;
  uint32_t candidate = 0;                                   // PlanVariant::number
  std::vector<algorithm::ForwardedBlock> forwarded_blocks;  // of the blocks that reach this rank

  /// Checks that the blocks that end on rank `me` have the sizes that its program expects. `passing_sizes`: of
  /// `forwarded_blocks`. Error: invalid_argument, as for a message of another length; the operation still runs, because
  /// the other ranks depend on it.
  base::Status check(algorithm::Rank me, std::span<const uint64_t> passing_sizes) const;
};

/// This rank alone cannot do its part; the other ranks carry out their operations.
struct FailedCall {
  base::Status why;
};

/// What a backend has prepared (backend/backend.hpp).
using CallWork = std::variant<NativeCall, ScheduledCall, ElectedCall, AgentCall, TwoPhaseCall, FailedCall>;

/// A decision that is ready to be carried out.
struct PreparedCall {
  CallWork work;
  uint32_t operations = 1;     // of the call; the ranks number them alike
  ReportLine* line = nullptr;  // nullptr: no report is wanted
  Execution execution;
  /// Access recorder of a call that waits for its data although it could return early, so that the order of the
  /// program's accesses can be learned; nullptr for any other call.
  std::shared_ptr<AccessRecorder> recorder;

  bool is_native() const { return std::holds_alternative<NativeCall>(work); }
  /// The schedule of the whole call; nullptr: other work.
  const engine::Plan* plan() const {
    const auto* const scheduled = std::get_if<ScheduledCall>(&work);
    return scheduled != nullptr ? scheduled->plan.get() : nullptr;
  }
  /// Error: this rank alone cannot do its part.
  base::Status status() const {
    const auto* const failed = std::get_if<FailedCall>(&work);
    return failed != nullptr ? failed->why : base::Status();
  }
  uint64_t footprint_bytes() const;
};

/// The dispatch result of a call.
struct DispatchedCall {
  PreparedCall prepared;
  CallSite* site = nullptr;  // the site that chose among its candidates; nullptr: the rules chose
  /// Given by the site; nullopt: none, or the ranks have to agree first and the call may not wait for that.
  std::optional<select::ServedCall> served_call;
  bool is_open() const { return site != nullptr && !served_call; }
  bool is_trial() const { return served_call && served_call->is_trial; }
};

}  // namespace tutti::collective
