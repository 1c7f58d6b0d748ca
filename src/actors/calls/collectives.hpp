#pragma once
// Collectives of one rank on one communicator: schedules of the catalogue, executed with messages between
// threads.

#include <cstdint>
#include <memory>
#include <optional>

#include "actors/calls/communicator.hpp"
#include "actors/calls/detached_sends.hpp"
#include "actors/calls/endpoint.hpp"
#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/leader_election.hpp"
#include "dispatch/plan_cache.hpp"
#include "engine/cpu_engine.hpp"
#include "topology/topology.hpp"

namespace tutti::actors {

class ServedReport;
class ContainerServices;
class Rank;

/// Used by the rank's thread only.
class Collectives final : public CommunicatorState {
 public:
  Collectives(Rank& me, Communicator& on);
  ~Collectives() override;

  /// Sequence number that distinguishes operations of this communicator. Blocking and nonblocking operations
  /// get consecutive numbers, in start order, which is the same on all ranks.
  uint32_t next_number() { return sequence_++ & k_most_numbers; }
  /// Persistent operations may be started in any order: each has its own numbers, assigned when it is
  /// created.
  uint32_t next_persistent() { return persistent_++; }
  static uint32_t number_of_start(uint32_t persistent, uint32_t start) {
    return (k_most_numbers + 1) | ((persistent & 0xfffff) << 10) | (start & 0x3ff);
  }

  /// Starts an operation.
  base::Result<engine::Operation*> start(const algorithm::Request& request, select::CallInterface kind,
                                         engine::Bindings bindings, uint32_t number);
  engine::CpuEngine& engine() { return *engine_; }
  /// See Endpoint::detach_sends().
  void detach_sends(DetachedSends* so_far) { endpoint_->detach_sends(so_far); }

 private:
  base::Result<std::shared_ptr<const engine::Plan>> plan_for(const algorithm::Request& request,
                                                             select::CallInterface kind, uint32_t number);
  base::Result<std::shared_ptr<const engine::Plan>> fixed_plan_for(const algorithm::Request& request,
                                                                   const algorithm::Choice& choice);

  const topology::Topology topology_;
  const int rank_;
  ContainerServices& container_;
  ServedReport* const report_;
  const ContainerGroupKey group_;
  std::unique_ptr<ContainerGroupMember> group_member_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<engine::CpuEngine> engine_;
  dispatch::PlanBudget budget_;
  dispatch::PlanCache plans_;
  dispatch::LeaderElection election_;
  static constexpr uint32_t k_most_numbers = (uint32_t{1} << 30) - 1;
  uint32_t sequence_ = 0, persistent_ = 0;
};

/// Created at the first collective of the communicator.
Collectives& collectives_of(Rank& me, Communicator& on);

}  // namespace tutti::actors
