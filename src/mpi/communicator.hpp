#pragma once
// What Tutti keeps for one communicator of the program.

#include <mpi.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/driver.hpp"
#include "engine/job.hpp"
#include "mpi/comm_id.hpp"
#include "mpi/node_access.hpp"
#include "mpi/persistent_tags.hpp"
#include "mpi/plan_cache.hpp"
#include "mpi/sites.hpp"
#include "select/candidate.hpp"
#include "select/selector.hpp"
#include "topology/topology.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::mpi {

class Runtime;

/// What serves one call.
struct Answer {
  Prepared prepared;
  Site* site = nullptr;              // that chose among its candidates; nullptr: the rules chose
  std::optional<select::Turn> turn;  // of the site; nullopt: the ranks have to agree first, which takes no
                                     // call that may not wait
  bool is_open() const { return site != nullptr && !turn; }
};

/// Used by one thread at a time, as MPI demands of collectives on one communicator; different communicators
/// are independent of each other and share no lock on the way to a running schedule.
class Communicator {
 public:
  /// `world_ranks[r]`: rank of r in MPI_COMM_WORLD.
  Communicator(Runtime& runtime, MPI_Comm comm, CommId id, int rank, std::vector<int> world_ranks,
               topology::Topology topology);

  MPI_Comm handle() const { return comm_; }
  CommId id() const { return id_.get(); }
  int rank() const { return rank_; }
  int size() const { return topology_.rank_count(); }
  /// Ranks of the members in MPI_COMM_WORLD.
  std::span<const int> world_ranks() const { return world_ranks_; }
  const topology::Topology& topology() const { return topology_; }
  const select::CommunicatorRules& rules() const { return *rules_; }
  Runtime& runtime() const { return runtime_; }

  /// No rule wants a call of this size, and nobody wants to know better: the cheap way out.
  bool goes_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                   select::CallKind kind) const;

  /// The answer for a request: which schedule, or none for the native MPI. Every rank gets the same decision,
  /// because it depends only on what they all know. A call that does not block never waits for the other
  /// ranks; then nothing is chosen that needs node memory, because only they could promise theirs.
  /// `expected_starts` of a persistent collective; 0: unknown.
  Answer prepare(const algorithm::Request& request, select::CallKind kind, uint64_t expected_starts = 0);
  /// The same for a choice that the program has made, unless that cannot serve the request.
  Prepared prepare_wish(const algorithm::Request& request, select::CallKind kind,
                        const algorithm::Choice& choice);
  /// What a candidate of a site is for a request. Any thread.
  Prepared prepare_candidate(const algorithm::Request& request, const Site& site, uint32_t candidate);
  /// Does every node have the memory that a choice takes? The same answer on all ranks. `common`: the part of
  /// a request that they all know.
  base::Status check_memory(const algorithm::Request& common, const algorithm::Choice& choice,
                            select::CallKind kind) const;
  const Sites& sites() const { return sites_; }

  /// A collective call of the program that went native counts too, perhaps on this rank alone: so the ranks'
  /// numbers, which tell operations apart, stay in step. One that the native MPI refused has not taken place.
  void count_call() { ++sequence_; }

  /// Carries out one operation; its tag is chosen here.
  base::Status run(const engine::Plan& plan, engine::Bindings bindings);
  /// Hands one operation over to a driver: to that of the mode, or, where other operations of this
  /// communicator are under way, to theirs. The job ends with job_ended(). `plan`: nullptr where the job is
  /// not ready, or carries itself out.
  void hand_over(engine::Job* job, const engine::Plan* plan, const engine::Bindings& bindings,
                 select::ProgressMode mode = select::ProgressMode::automatic);

  /// Calls that may go to the native MPI after they have returned. Until they have, those that come after
  /// them must not overtake them there: what does not block is handed over as well, and what blocks waits.
  bool has_held() const { return held_.load(std::memory_order_acquire) > 0; }
  void add_held() { held_.fetch_add(1, std::memory_order_relaxed); }
  void remove_held() { held_.fetch_sub(1, std::memory_order_release); }
  void settle() const;
  /// On the driving thread, when nothing of the job touches this any more. It may be the end of the
  /// communicator, when the program has freed it meanwhile.
  void job_ended();
  /// Persistent collectives have tags, engines and ways to their peers of their own.
  PersistentTags& persistent_tags() { return persistent_tags_; }
  transport::Tag persistent_tag(uint16_t number) const;

  /// Stays until that many let_go().
  void hold() { users_.fetch_add(1, std::memory_order_relaxed); }
  void let_go();
  /// The same for as long as somebody has the pointer.
  std::shared_ptr<Communicator> keep();
  /// The program frees the communicator: it goes with the last who holds it.
  void freed();
  /// Then the handle means nothing any more, or something else.
  bool is_freed() const { return is_freed_.load(std::memory_order_acquire); }

 private:
  ~Communicator() = default;
  base::Status run_behind_jobs(const engine::Plan& plan, const engine::Bindings& bindings);
  transport::Tag next_tag();
  /// Never waits for another rank.
  void make_ways();
  /// Collective. Its place is the first blocking call that any rule might take away from the native MPI,
  /// which is the same on all ranks.
  void agree_on_memory();
  Prepared realise(const algorithm::Request& request, select::CallKind kind, select::Decision decision);
  Prepared prepare_by_rules(const algorithm::Request& request, select::CallKind kind);
  PlanCache& plans_of(select::CallKind kind);
  base::Result<std::shared_ptr<const engine::Plan>> make_plan(const algorithm::Request& request,
                                                              const algorithm::Choice& choice) const;

  OwnedId id_;  // first: it is given back when nothing of the rest is left
  Runtime& runtime_;
  MPI_Comm comm_;
  int rank_;
  uint16_t sequence_ = 0;  // collective calls, lower part of their tags
  std::vector<int> world_ranks_;
  topology::Topology topology_;
  std::shared_ptr<const select::CommunicatorRules> rules_;
  PlanCache plans_;
  PlanCache nonblocking_plans_;  // which do without node memory
  PlanCache persistent_plans_;   // which do, too
  PersistentTags persistent_tags_;
  Sites sites_;
  // Made at the first operation that Tutti serves: most communicators of most programs never see one.
  std::optional<LocalAccess> local_;
  bool has_agreed_ = false;
  uint64_t agreed_node_bytes_ = 0;  // of node memory, per operation: every node has at least this
  std::optional<transport::MpiEndpoint> network_;
  std::unique_ptr<transport::Endpoint> second_network_;  // for calls that do not block, where there is one
  std::optional<engine::CpuEngine> engine_;
  // Operations that have been handed over: the engine belongs to their driver.
  std::atomic<uint32_t> jobs_{0};
  engine::Driver* driver_ = nullptr;  // of those
  // One for the program, until it frees the communicator, one for each job, and one for each hold().
  std::atomic<uint32_t> users_{1};
  std::atomic<uint32_t> held_{0};
  std::atomic<bool> is_freed_{false};
};

}  // namespace tutti::mpi
