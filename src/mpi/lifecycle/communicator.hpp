#pragma once
// What Tutti keeps for one communicator of the program.

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/answer.hpp"
#include "dispatch/decisions.hpp"
#include "dispatch/services.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/driver.hpp"
#include "engine/job.hpp"
#include "mpi/lifecycle/agents.hpp"
#include "mpi/lifecycle/comm_id.hpp"
#include "mpi/lifecycle/node_access.hpp"
#include "mpi/request/persistent_tags.hpp"
#include "record/track.hpp"
#include "select/candidate.hpp"
#include "topology/topology.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::dispatch {
struct ReportLine;
}

namespace tutti::mpi {

class Runtime;

/// What the latest blocking call of a collective that went the short way was (entry/quiet_call.hpp).
struct alignas(64) NativeWords {
  using OfCollectives = std::array<NativeWords, algorithm::k_collective_count>;
  /// There has been none, or the handle may mean another type the next time.
  static constexpr int64_t k_no_count = INT64_MIN;
  MPI_Datatype datatype{};
  int64_t count = k_no_count;
  uint64_t bytes = 0;                         // as rules see them
  dispatch::ReportLine* line = nullptr;       // nullptr: there is no report
  dispatch::PassingCalls* limited = nullptr;  // nullptr: all calls like this one pass
  bool is_plain = false;  // one thread counts on the line, and there is nothing else to do

  /// Those of MPI_COMM_WORLD, where its calls find them without asking, and this process's rank in it. None is plain
  /// while Runtime::world() is nullptr.
  static OfCollectives of_world;
  static int rank_in_world;
};

/// Used by one thread at a time, as MPI demands of collectives on one communicator; different communicators
/// are independent of each other and share no lock on the way to a running schedule.
class Communicator final : public dispatch::Held, public dispatch::AgentSource {
 public:
  /// Of few bytes, without talking: what it takes to serve calls is set up at the first collective call. All members
  /// are of this MPI_COMM_WORLD. `twin`: as twin() has it.
  Communicator(Runtime& runtime, MPI_Comm comm, CommId id, int rank, int size, MPI_Comm twin);

  MPI_Comm handle() const { return comm_; }
  /// The same ranks once more. It carries what call sites that do not block leave to the native MPI, and nothing else:
  /// calls that are held back have no place among those of the program (docs/adr/0009). MPI_COMM_NULL: there are no
  /// such sites.
  MPI_Comm twin() const { return twin_; }
  CommId id() const { return id_.get(); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Ranks of the members in MPI_COMM_WORLD.
  std::span<const int> world_ranks() { return parts().world_ranks; }
  Runtime& runtime() const { return runtime_; }

  /// An error: why its calls wait inside, which is this rank's own business.
  base::Status may_return_early() const;
  /// What the program wants (communicator_info.hpp).
  bool has_overlap() const { return has_overlap_; }
  void set_overlap(bool is_wanted) { has_overlap_ = is_wanted; }

  /// Counter that numbers the recorded collectives of this communicator; nullptr when recording is off.
  record::Track* track() const { return track_; }
  void set_track(record::Track* track) { track_ = track; }

  dispatch::Decisions& decisions() { return parts().decisions; }
  NativeWords* native_words(algorithm::Collective collective) {
    return &(*parts().native_words)[static_cast<size_t>(collective)];
  }
  /// nullptr: there has been no call. Any thread.
  const dispatch::CallSiteTable* sites() const {
    const Parts* const known = parts_.load(std::memory_order_acquire);
    return known != nullptr ? &known->decisions.sites() : nullptr;
  }
  /// Numbers for the communicators that all of its members make together.
  Reserve& reserve() { return reserve_; }

  /// The answer for a request. Every rank gets the same decision, because it depends only on what they all
  /// know. Collective at the first blocking call that any rule might take away from the native MPI: then the
  /// ranks agree on the node memory that they have (docs/adr/0013). All ranks make that call, and nothing
  /// that only one of them knows has been looked at before.
  dispatch::Answer prepare(const algorithm::Request& request, select::CallKind interface,
                           uint64_t expected_starts = 0);

  /// A collective call of the program that went native counts too, perhaps on this rank alone: so the ranks'
  /// numbers, which tell operations apart, stay in step. One that the native MPI refused has not taken place.
  void count_call() { ++sequence_; }

  /// Carries out what a blocking call wants and waits for its end; tags are chosen here.
  base::Status run(const dispatch::Prepared& prepared, const engine::Bindings& bindings);
  /// This rank takes no part in one: the operation counts all the same, so that the next ones find their peers.
  void pass_over(const dispatch::Prepared& prepared);
  /// Hands one operation over to a driver: to that of the mode, or, where other operations of this
  /// communicator are under way, to theirs. The job ends with job_ended(). `plan`: nullptr where the job is
  /// not ready, or carries itself out.
  void hand_over(engine::Job* job, const engine::Plan* plan, const engine::Bindings& bindings,
                 select::ProgressMode mode = select::ProgressMode::automatic);

  /// Calls of sites that may reach the twin after they have returned. Until they have, other calls of sites, which must
  /// not overtake them there, are handed over as well.
  bool has_held_back() const { return held_back_.load(std::memory_order_acquire) > 0; }
  void add_held_back() { held_back_.fetch_add(1, std::memory_order_relaxed); }
  void remove_held_back() { held_back_.fetch_sub(1, std::memory_order_release); }
  /// On the driving thread, when nothing of the job touches this any more. It may be the end of the
  /// communicator, when the program has freed it meanwhile.
  void job_ended();
  /// Persistent collectives have tags, engines and endpoints of their own.
  PersistentTags& persistent_tags() { return parts().persistent_tags; }
  transport::Tag persistent_tag(uint16_t number) const;

  /// Stays until that many release().
  void hold() override { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() override;
  /// The same for as long as the pointer is there.
  std::shared_ptr<Communicator> keep();
  /// The program frees the communicator: it goes with the last release().
  void freed();
  /// Then the handle means nothing any more, or something else.
  bool is_freed() const { return is_freed_.load(std::memory_order_acquire); }

 private:
  struct Parts {
    Parts(Communicator& owner, std::vector<int> ranks, topology::Topology shape);

    const std::vector<int> world_ranks;
    const topology::Topology topology;
    PersistentTags persistent_tags;
    dispatch::Decisions decisions;
    std::unique_ptr<NativeWords::OfCollectives> own_native_words;  // nullptr: those of MPI_COMM_WORLD
    NativeWords::OfCollectives* const native_words;
    // Made at the first operation that Tutti serves: most communicators of most programs never see one.
    std::optional<LocalAccess> local;
    std::optional<transport::MpiEndpoint> network;
    std::unique_ptr<transport::Endpoint> ucx_network;  // for calls that do not block, where there is one
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
  base::Status run_plan(const engine::Plan& plan, const dispatch::Execution& execution,
                        engine::Bindings bindings);
  base::Status run_as_job(const engine::Plan& plan, const dispatch::Execution& execution,
                          const engine::Bindings& bindings);
  base::Status run_relayed(const dispatch::Prepared& prepared, const engine::Bindings& bindings);
  base::Status run_by_agents(const dispatch::AgentCall& call, const engine::Bindings& bindings);
  void open_agents() override;
  uint64_t agent_bytes() override;
  bool may_have_agents() const override;
  transport::Tag next_tag();
  /// Never waits for another rank.
  Parts& make_endpoints();

  OwnedId id_;  // first: it is given back when nothing of the rest is left
  Reserve reserve_;
  Runtime& runtime_;
  MPI_Comm comm_;
  MPI_Comm twin_;
  int rank_, size_;
  bool has_overlap_ = true;
  record::Track* track_ = nullptr;
  uint16_t sequence_ = 0;  // collective calls, lower part of their tags
  std::atomic<Parts*> parts_{nullptr};
  // Operations that have been handed over: the engine belongs to their driver.
  std::atomic<uint32_t> jobs_{0};
  engine::Driver* driver_ = nullptr;  // of those
  // One for the program, until it frees the communicator, one for each job, and one for each hold().
  std::atomic<uint32_t> users_{1};
  std::atomic<uint32_t> held_back_{0};
  std::atomic<bool> is_freed_{false};
};

/// Numbers the recorded calls on a communicator, whether Tutti serves it or not; nullptr: they are not recorded.
record::Track* track_of(Runtime& runtime, MPI_Comm comm);

}  // namespace tutti::mpi
