#pragma once
// Collectives of one rank on one communicator: the dispatcher chooses a schedule of the catalogue, which the engine
// executes with messages between threads.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "actors/calls/communicator.hpp"
#include "actors/calls/detached_sends.hpp"
#include "actors/calls/endpoint.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/collective_dispatcher.hpp"
#include "collective/leader_election.hpp"
#include "collective/plan_cache.hpp"
#include "collective/process_context.hpp"
#include "engine/cpu_engine.hpp"
#include "topology/topology.hpp"

namespace tutti::actors {

class ContainerServices;
class Rank;

/// Used by the rank's thread only.
class Collectives final : public CommunicatorState,
                          private collective::ProcessContext,
                          private collective::RefCounted {
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

  /// Decides what serves a call, and starts its operation. `dispatched` stays unchanged until the operation has ended.
  base::Result<engine::Operation*> start(const algorithm::Request& request, select::CallInterface interface,
                                         engine::Bindings bindings, uint32_t number,
                                         collective::DispatchedCall* dispatched);
  engine::CpuEngine& engine() { return *engine_; }
  /// See Endpoint::detach_sends().
  void detach_sends(DetachedSends* so_far) { endpoint_->detach_sends(so_far); }

 private:
  /// Replaces the work of an elected call by the plan for its leader.
  base::Status elect(const algorithm::Request& request, uint32_t number, collective::PreparedCall* prepared);

  // ProcessContext.
  const collective::Options& options() const override;
  collective::PlanBudget& plan_budget() override { return budget_; }
  collective::Report* report() override;
  void log_verbose(const std::string& /*line*/) const override {}
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space space,
                                                     std::span<const int> world_ranks) override;
  engine::Driver& agreement_driver() override;
  void drive_agreements() override;
  void await_agreement(engine::Signal& end) override;

  // RefCounted: agreements hold the communicator.
  void hold() override { on_.hold(); }
  void release() override { on_.release(); }

  Rank& me_;
  Communicator& on_;
  const topology::Topology topology_;
  const int rank_;
  const ContainerGroupKey group_;
  std::unique_ptr<ContainerGroupMember> group_member_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<engine::CpuEngine> engine_;
  collective::PlanBudget budget_;
  collective::CollectiveDispatcher dispatcher_;
  collective::LeaderElection election_;
  static constexpr uint32_t k_most_numbers = (uint32_t{1} << 30) - 1;
  uint32_t sequence_ = 0, persistent_ = 0;
};

/// Created at the first collective of the communicator.
Collectives& collectives_of(Rank& me, Communicator& on);

}  // namespace tutti::actors
