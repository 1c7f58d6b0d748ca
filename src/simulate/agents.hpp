#pragma once
// Leader policy `agent` (DESIGN §5) as schedules: members write their data to node memory, agents execute the same
// collective between nodes, and members read the result (agent/layout.hpp). Actors are the ranks, followed by one agent
// per node.

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"
#include "base/status.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

/// One call of all ranks; `request` is that of any rank. Pure; any thread.
class AgentCall {
 public:
  /// `choice`: algorithm between the agents; without one they choose it. Error: not_supported, one line: agents do not
  /// serve this call.
  static base::Result<AgentCall> make(const algorithm::Request& request, const topology::Topology& topology,
                                      const algorithm::Choice& choice);

  base::Result<schedule::Schedule> of_rank(const algorithm::Request& request, schedule::Rank rank) const;
  base::Result<schedule::Schedule> of_agent(int32_t node) const;

 private:
  AgentCall(const topology::Topology& topology, const agent::Description& whole)
      : topology_(&topology), whole_(whole) {}
  template <class Visit>
  void for_each_part(Visit visit) const;
  schedule::Peer agent_of(int32_t node) const {
    return schedule::Peer::local(topology_->rank_count() + node);
  }

  const topology::Topology* topology_;
  agent::Description whole_;
};

}  // namespace tutti::simulate
