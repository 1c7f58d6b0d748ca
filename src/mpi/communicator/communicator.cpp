#include "mpi/communicator/communicator.hpp"

#include <algorithm>
#include <utility>

#include "engine/signal.hpp"
#include "mpi/handle/members.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

/// The upper half of a communicator's tags is for persistent collectives; the lower half numbers the others in order.
constexpr uint16_t k_persistent_tags = PersistentTags::k_count;

/// A job that its caller waits for.
class AwaitedJob final : public engine::Job {
 public:
  explicit AwaitedJob(Communicator& communicator) : communicator_(communicator) {}

  void ended(const Status& status) override {
    status_ = status;
    communicator_.job_ended();
    end_.set();
  }
  Status wait(ProgressEngine& progress) {
    progress.await(end_);
    return status_;
  }

 private:
  Communicator& communicator_;
  Status status_;
  engine::Signal end_;
};

}  // namespace

constinit NativeWords::OfCollectives NativeWords::of_world{};
constinit int NativeWords::rank_in_world = 0;

Communicator::Communicator(Runtime& runtime, MPI_Comm comm, CommId id, int rank, int size, MPI_Comm twin)
    : id_(id), runtime_(runtime), comm_(comm), twin_(twin), rank_(rank), size_(size) {}

Communicator::~Communicator() {
  if (twin_ != MPI_COMM_NULL) runtime_.twins().give_back(twin_);
  delete parts_.load(std::memory_order_acquire);
}

Communicator::Parts::Parts(Communicator& owner, std::vector<int> ranks, topology::Topology shape)
    : world_ranks(std::move(ranks)),
      topology(std::move(shape)),
      dispatcher(owner.runtime_,
                 {.id = owner.id(),
                  .rank = owner.rank_,
                  .world_ranks = world_ranks,
                  .topology = &topology,
                  .owner = &owner,
                  .agents = &owner,
                  .has_twin = owner.twin_ != MPI_COMM_NULL},
                 owner.runtime_.selector().for_communicator(topology)),
      own_native_words(owner.comm_ == MPI_COMM_WORLD ? nullptr
                                                     : std::make_unique<NativeWords::OfCollectives>()),
      native_words(own_native_words != nullptr ? own_native_words.get() : &NativeWords::of_world) {}

Communicator::Parts& Communicator::set_up() {
  std::vector<int> ranks;
  find_world_ranks(comm_, PMPI_Comm_group, &ranks);
  topology::Topology shape = topology_of(ranks, runtime_.node_of_world_rank());
  auto* const made = new Parts(*this, std::move(ranks), std::move(shape));
  parts_.store(made, std::memory_order_release);
  return *made;
}

Status Communicator::may_return_early() const {
  if (!has_overlap_) return Status::not_supported("the communicator's info says so (tutti_overlap)");
  if (runtime_.early_calls().multithreaded_use().detected())
    return Status::not_supported("several threads call the MPI");
  return {};
}

collective::DispatchedCall Communicator::prepare(const algorithm::Request& request,
                                                 select::CallInterface interface, uint64_t expected_starts) {
  collective::CollectiveDispatcher& dispatcher = parts().dispatcher;
  if (interface == select::CallInterface::blocking && !dispatcher.has_node_bytes()) {
    const uint64_t of_operation = make_endpoints().local->operation_bytes();
    dispatcher.agree_on_node_bytes(of_operation, agent_bytes());
  }
  return dispatcher.prepare(request, interface, expected_starts);
}

Communicator::Parts& Communicator::make_endpoints() {
  Parts& mine = parts();
  if (mine.engine) return mine;
  mine.local.emplace(runtime_.node_shared_memory(), id(), mine.topology, rank_, mine.world_ranks);
  mine.network.emplace(runtime_.private_comm(), mine.world_ranks);
  engine::Ports ports = mine.local->ports(*mine.network);
  if (transport::Network* const second = runtime_.ucx_network())
    mine.ucx_network = second->make_endpoint(transport::Space::operations, mine.world_ranks);
  ports.networks[1] = mine.ucx_network.get();
  mine.engine.emplace(ports, runtime_.options().wait_policy, runtime_.options().cpu_share,
                      &runtime_.progress().in_call());
  return mine;
}

transport::Tag Communicator::next_tag() {
  const uint16_t number = sequence_++ % k_persistent_tags;
  return static_cast<transport::Tag>(id()) << 16 | number;
}

transport::Tag Communicator::persistent_tag(uint16_t number) const {
  return static_cast<transport::Tag>(id()) << 16 | k_persistent_tags | number;
}

bool Communicator::may_have_agents() const {
  return runtime_.may_open_agents();
}

/// All processes have to take part, so the communicator must contain all of them, in the same order. With
/// MPI_THREAD_MULTIPLE, several such communicators may be in calls at the same time, so only MPI_COMM_WORLD qualifies.
void Communicator::open_agents() {
  const bool is_world = handle() == MPI_COMM_WORLD;
  const bool is_like_world = size() == runtime_.world_size() && std::ranges::is_sorted(world_ranks()) &&
                             !runtime_.is_multithreaded();
  if (!is_world && !is_like_world) return;
  runtime_.open_agents_late(handle());
}

/// Sets the board up if there are agents and at least two nodes.
uint64_t Communicator::agent_bytes() {
  Parts& mine = parts();
  if (mine.agent) return mine.agent->area_bytes();
  if (!runtime_.agents().are_open() || mine.topology.node_count() < 2) return 0;
  mine.agent.emplace(runtime_.agents(), id(), mine.topology, rank_, mine.world_ranks);
  if (mine.agent->is_home()) {
    hold();
    if (!mine.agent->start([this] { release(); })) release();
  }
  return mine.agent->area_bytes();
}

Status Communicator::run_by_agents(const collective::AgentCall& call, const engine::Bindings& bindings) {
  count_call();
  return parts().agent->run(call, bindings, runtime_.progress());
}

Status Communicator::run(const collective::PreparedCall& prepared, const engine::Bindings& bindings) {
  if (const auto* const call = std::get_if<collective::AgentCall>(&prepared.work))
    return run_by_agents(*call, bindings);
  if (const auto* const call = std::get_if<collective::TwoPhaseCall>(&prepared.work))
    return run_two_phase(*call, prepared.execution, bindings);
  return run_plan(*prepared.plan(), prepared.execution, bindings);
}

void Communicator::skip_operations(const collective::PreparedCall& prepared) {
  for (uint32_t i = 0; i < prepared.operations; ++i) count_call();
}

Status Communicator::run_plan(const engine::Plan& plan, const collective::Execution& execution,
                              engine::Bindings bindings) {
  Parts& mine = make_endpoints();
  // Calls that use node memory wait for their operations inside, hence no such operation is pending.
  mine.local->prepare(plan.schedule().node_bytes());
  // An engine that has jobs belongs to their driver, so a blocking call queues up there.
  if (jobs_.load(std::memory_order_acquire) > 0 || !execution.is_on_callers_thread())
    return run_as_job(plan, execution, bindings);
  bindings.tag = next_tag();
  return mine.engine->run(plan, bindings);
}

Status Communicator::run_as_job(const engine::Plan& plan, const collective::Execution& execution,
                                const engine::Bindings& bindings) {
  AwaitedJob job(*this);
  hand_over(&job, &plan, bindings, execution.mode);
  return job.wait(runtime_.progress());
}

/// Runs two operations: the first brings the sizes that are needed to plan the second.
Status Communicator::run_two_phase(const collective::TwoPhaseCall& call,
                                   const collective::Execution& execution, const engine::Bindings& bindings) {
  std::vector<uint64_t> mine, passing(call.forwarded_blocks.size());
  for (int to = 0; to < size(); ++to) mine.push_back(call.request->get().blocks.size(to));
  Status ended = run_plan(*call.sizes_plan, execution,
                          {.input = reinterpret_cast<const std::byte*>(mine.data()),
                           .output = reinterpret_cast<std::byte*>(passing.data())});
  if (ended) {
    const auto blocks = parts().dispatcher.plan_second_part(call, passing);
    if (blocks) {
      ended = run_plan(**blocks, execution, bindings);
      return ended ? call.check(rank(), passing) : ended;
    }
    ended = blocks.status();
  }
  count_call();  // as the other ranks do
  return ended;
}

void Communicator::hand_over(engine::Job* job, const engine::Plan* plan, const engine::Bindings& bindings,
                             select::ProgressMode mode) {
  Parts& mine = make_endpoints();
  job->bindings = bindings;
  job->bindings.tag = next_tag();
  job->engine = &*mine.engine;
  job->plan = plan;
  ProgressEngine& progress = runtime_.progress();
  if (jobs_.load(std::memory_order_acquire) == 0) driver_ = &progress.driver_for(mode);
  hold();
  jobs_.fetch_add(1, std::memory_order_relaxed);
  driver_->submit(job);
  progress.drive();  // starts a job that the in-call driver got
}

void Communicator::job_ended() {
  jobs_.fetch_sub(1, std::memory_order_release);
  release();
}

std::shared_ptr<Communicator> Communicator::keep() {
  hold();
  return {this, [](Communicator* kept) { kept->release(); }};
}

void Communicator::freed() {
  is_freed_.store(true, std::memory_order_release);
  Parts* const known = parts_.load(std::memory_order_acquire);
  if (known != nullptr && known->agent) known->agent->close();
  release();
}

void Communicator::release() {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

record::OperationCounter* counter_of(Runtime& runtime, MPI_Comm comm) {
  const Communicator* const served = runtime.communicators().find(comm);
  return served != nullptr ? served->counter() : runtime.record().counter_of(comm);
}

}  // namespace tutti::mpi
