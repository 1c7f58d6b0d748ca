#pragma once
// Leader policy `agent` (DESIGN §5) as schedules: members deposit in node memory, agents carry out the same collective
// among nodes, members take (agent/layout.hpp). Actors are the ranks, then one agent for each node.

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"
#include "base/status.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

/// One call of all ranks; `request` is that of any of them. Pure; any thread.
class AgentCall {
 public:
  /// `choice`: what the agents do among themselves; without an algorithm they choose. Error: not_supported, one line:
  /// agents do not serve it.
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
