#pragma once
// Leader policy `first` (DESIGN §5; paper 000 §3, figures 7, 9 and 10): on every node, the first rank to arrive at an
// operation leads it, so that the network side of a node never waits for one particular rank. The two-level algorithms
// pipeline between the levels by segment, regardless of the leader.

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/leader_queue.hpp"
#include "collective/plan_cache.hpp"
#include "engine/engine.hpp"
#include "engine/plan.hpp"
#include "topology/topology.hpp"

namespace tutti::collective {

/// One rank of one communicator, on endpoints that address nodes (Capabilities::can_address_node). Used by one thread
/// at a time.
class LeaderElection {
 public:
  /// `queue`: of this node, whose members are in the order of the topology; nullptr: the rank is alone on its node. All
  /// referenced objects outlive this.
  LeaderElection(PlanBudget& budget, const topology::Topology& topology, schedule::Rank me,
                 LeaderQueue* queue, engine::Limits limits = {})
      : topology_(topology), me_(me), queue_(queue), limits_(limits), plans_(budget) {}

  struct Outcome {
    bool is_leader = false;
    std::shared_ptr<const engine::Plan> plan;
  };
  /// This rank has arrived at operation number `sequence` of the communicator, which all ranks carry out by `choice`, a
  /// two-level algorithm. A root leads its own node. Errors: those of LeaderQueue::arrive() and of the algorithm.
  base::Result<Outcome> arrive(const algorithm::Request& request, const algorithm::Choice& choice,
                               uint32_t sequence);

 private:
  base::Result<Arrival> compete(const algorithm::Request& request, uint32_t sequence);
  base::Result<std::shared_ptr<const engine::Plan>> plan_for(const algorithm::Request& request,
                                                             const algorithm::Choice& choice,
                                                             uint32_t leader);
  uint32_t number_of(const algorithm::Choice& choice);

  const topology::Topology& topology_;
  const schedule::Rank me_;
  LeaderQueue* const queue_;
  const engine::Limits limits_;
  PlanCache plans_;
  std::vector<algorithm::Choice> choices_;  // in the order of their first use
};

}  // namespace tutti::collective
