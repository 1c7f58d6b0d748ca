#pragma once
// Tutti's state for one communicator of the program.

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/collective_dispatcher.hpp"
#include "collective/dispatched_call.hpp"
#include "collective/process_context.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/driver.hpp"
#include "engine/job.hpp"
#include "mpi/communicator/persistent_tags.hpp"
#include "mpi/handle/comm_id.hpp"
#include "mpi/node/agents.hpp"
#include "mpi/node/node_access.hpp"
#include "record/operation_counter.hpp"
#include "select/candidate.hpp"
#include "topology/topology.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::collective {
struct ReportLine;
}

namespace tutti::mpi {

class Runtime;

/// Arguments and counters of the latest blocking call of a collective that took the fast path (call/quiet_call.hpp).
struct alignas(64) NativeWords {
  using OfCollectives = std::array<NativeWords, algorithm::k_collective_count>;
  /// There has been no call, or the datatype handle may denote another type at the next call.
  static constexpr int64_t k_no_count = INT64_MIN;
  MPI_Datatype datatype{};
  int64_t count = k_no_count;
  uint64_t bytes = 0;                           // select::bytes_of_interest()
  collective::ReportLine* line = nullptr;       // nullptr: there is no report
  collective::PassingCalls* limited = nullptr;  // nullptr: all calls like this one pass
  bool is_plain = false;  // one thread counts on the line, and there is nothing else to do

  /// Those of MPI_COMM_WORLD, which its calls access without a lookup, and this process's rank in it. None is plain
  /// while Runtime::world() is nullptr.
  static OfCollectives of_world;
  static int rank_in_world;
};

/// Used by one thread at a time, as MPI requires for collectives on one communicator. Different communicators are
/// independent: no lock is shared between a call and its running schedule.
class Communicator final : public collective::RefCounted, public collective::AgentSource {
 public:
  /// Takes few bytes and does not communicate: the parts for serving calls are set up at the first collective call. All
  /// members are in this MPI_COMM_WORLD. `twin`: see twin().
  Communicator(Runtime& runtime, MPI_Comm comm, CommId id, int rank, int size, MPI_Comm twin);

  MPI_Comm handle() const { return comm_; }
  /// A duplicate with the same ranks. It carries only the calls that nonblocking call sites leave to the native MPI,
  /// because held-back calls no longer fit the order of the program's own calls (docs/adr/0009). MPI_COMM_NULL: there
  /// are no such sites.
  MPI_Comm twin() const { return twin_; }
  CommId id() const { return id_.get(); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Ranks of the members in MPI_COMM_WORLD.
  std::span<const int> world_ranks() { return parts().world_ranks; }
  Runtime& runtime() const { return runtime_; }

  /// Error: the reason why calls wait for their data inside. May differ between ranks.
  base::Status may_return_early() const;
  /// The program's info key tutti_overlap (communicator_info.hpp).
  bool has_overlap() const { return has_overlap_; }
  void set_overlap(bool is_wanted) { has_overlap_ = is_wanted; }

  /// Counter that numbers the recorded collectives of this communicator; nullptr when recording is off.
  record::OperationCounter* counter() const { return counter_; }
  void set_counter(record::OperationCounter* counter) { counter_ = counter; }

  collective::CollectiveDispatcher& dispatcher() { return parts().dispatcher; }
  NativeWords* native_words(algorithm::Collective collective) {
    return &(*parts().native_words)[static_cast<size_t>(collective)];
  }
  /// nullptr: there has been no collective call. Any thread.
  const collective::CallSiteTable* sites() const {
    const Parts* const known = parts_.load(std::memory_order_acquire);
    return known != nullptr ? &known->dispatcher.sites() : nullptr;
  }
  /// Numbers for the communicators that all members create together.
  Reserve& reserve() { return reserve_; }

  /// The answer for a request. Every rank gets the same decision, because it depends on rank-invariant data only.
  /// Collective at the first blocking call that any rule might take away from the native MPI: the ranks then agree on
  /// their node memory (docs/adr/0013). All ranks do so at the same call, because no local data is examined before it.
  collective::DispatchedCall prepare(const algorithm::Request& request, select::CallInterface interface,
                                     uint64_t expected_starts = 0);

  /// Counts a collective call of the program that went native, possibly on this rank only, so that the ranks' numbers,
  /// which distinguish operations, stay in step. A call that the native MPI refused is not counted.
  void count_call() { ++sequence_; }

  /// Carries out a blocking call and waits for its end. Assigns the tags.
  base::Status run(const collective::PreparedCall& prepared, const engine::Bindings& bindings);
  /// Counts the operations of a call in which this rank does not take part, so that later operations match those of the
  /// peers.
  void skip_operations(const collective::PreparedCall& prepared);
  /// Hands one operation over to a driver: to that of the mode, or, if other operations of this communicator are
  /// pending, to theirs. The job ends with job_ended(). `plan`: nullptr if the job is not ready, or starts its
  /// operation itself.
  void hand_over(engine::Job* job, const engine::Plan* plan, const engine::Bindings& bindings,
                 select::ProgressMode mode = select::ProgressMode::automatic);

  /// True while calls of sites are pending that may reach the twin after they have returned. Until then, other calls of
  /// sites are handed over as well, because they must not overtake the pending ones on the twin.
  bool has_held_back() const { return held_back_.load(std::memory_order_acquire) > 0; }
  void add_held_back() { held_back_.fetch_add(1, std::memory_order_relaxed); }
  void remove_held_back() { held_back_.fetch_sub(1, std::memory_order_release); }
  /// Called on the driving thread when the job no longer uses this object. Deletes the communicator if the program has
  /// freed it and this was the last use.
  void job_ended();
  /// Persistent collectives have tags, engines and endpoints of their own.
  PersistentTags& persistent_tags() { return parts().persistent_tags; }
  transport::Tag persistent_tag(uint16_t number) const;

  /// Keeps the communicator alive until release() has been called as often.
  void hold() override { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() override;
  /// The same for the lifetime of the pointer and its copies.
  std::shared_ptr<Communicator> keep();
  /// The program frees the communicator: it is deleted by the last release().
  void freed();
  /// True: handle() is invalid or denotes another communicator.
  bool is_freed() const { return is_freed_.load(std::memory_order_acquire); }

 private:
  struct Parts {
    Parts(Communicator& owner, std::vector<int> ranks, topology::Topology shape);

    const std::vector<int> world_ranks;
    const topology::Topology topology;
    PersistentTags persistent_tags;
    collective::CollectiveDispatcher dispatcher;
    std::unique_ptr<NativeWords::OfCollectives> own_native_words;  // nullptr: those of MPI_COMM_WORLD
    NativeWords::OfCollectives* const native_words;
    // Created by make_endpoints() at the first call that Tutti may serve: most communicators never have such a call.
    std::optional<NodeEndpoints> local;
    std::optional<transport::MpiEndpoint> network;
    std::unique_ptr<transport::Endpoint> ucx_network;  // for nonblocking and early calls; nullptr: no UCX
    std::optional<engine::CpuEngine> engine;
    std::optional<AgentAccess> agent;
  };

  ~Communicator();
  Parts& parts() {
    Parts* const known = parts_.load(std::memory_order_acquire);
    return known != nullptr ? *known : set_up();
  }
  /// Never waits for another rank.
  Parts& set_up();
  base::Status run_plan(const engine::Plan& plan, const collective::Execution& execution,
                        engine::Bindings bindings);
  base::Status run_as_job(const engine::Plan& plan, const collective::Execution& execution,
                          const engine::Bindings& bindings);
  base::Status run_two_phase(const collective::TwoPhaseCall& call, const collective::Execution& execution,
                             const engine::Bindings& bindings);
  base::Status run_by_agents(const collective::AgentCall& call, const engine::Bindings& bindings);
  void open_agents() override;
  uint64_t agent_bytes() override;
  bool may_have_agents() const override;
  transport::Tag next_tag();
  /// Never waits for another rank.
  Parts& make_endpoints();

  OwnedId id_;  // declared first: given back after all other members are destroyed
  Reserve reserve_;
  Runtime& runtime_;
  MPI_Comm comm_;
  MPI_Comm twin_;
  int rank_, size_;
  bool has_overlap_ = true;
  record::OperationCounter* counter_ = nullptr;
  uint16_t sequence_ = 0;  // number of collective calls; the lower part of their tags
  std::atomic<Parts*> parts_{nullptr};
  // Number of operations that have been handed over. While it is not 0, the engine belongs to their driver.
  std::atomic<uint32_t> jobs_{0};
  engine::Driver* driver_ = nullptr;  // of these operations
  // One for the program, until it frees the communicator, one for each job, and one for each hold().
  std::atomic<uint32_t> users_{1};
  std::atomic<uint32_t> held_back_{0};
  std::atomic<bool> is_freed_{false};
};

/// The counter that numbers the recorded calls on a communicator, served or not; nullptr: they are not recorded.
record::OperationCounter* counter_of(Runtime& runtime, MPI_Comm comm);

}  // namespace tutti::mpi
