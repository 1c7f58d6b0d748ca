#include "mpi/communicator.hpp"

#include <algorithm>
#include <utility>

#include "algorithm/algorithm.hpp"
#include "engine/signal.hpp"
#include "mpi/blocking.hpp"
#include "mpi/runtime.hpp"

namespace tutti::mpi {

using algorithm::Collective;
using algorithm::Request;
using base::Status;
using select::CallKind;

namespace {

/// The part of a request that is the same on all ranks: all that a decision may look at.
Request common_part(Request request) {
  request.in_place = false;
  request.blocks.offsets = {};
  request.receive_blocks.offsets = {};
  switch (request.collective) {
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::alltoallv:
    case Collective::alltoallw:
      request.own_bytes = 0;
      request.blocks = request.receive_blocks = {.known = false};
      break;
    case Collective::allgatherv:
      request.own_bytes = 0;
      break;
    default:
      break;
  }
  return request;
}

/// The lower half of a communicator's tags belongs to its other collectives, one after the other.
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
  Status wait(Drivers& drivers) {
    drivers.await(end_);
    return status_;
  }

 private:
  Communicator& communicator_;
  Status status_;
  engine::Signal end_;
};

}  // namespace

Communicator::Communicator(Runtime& runtime, MPI_Comm comm, CommId id, int rank, std::vector<int> world_ranks,
                           topology::Topology topology)
    : id_(id),
      runtime_(runtime),
      comm_(comm),
      rank_(rank),
      world_ranks_(std::move(world_ranks)),
      topology_(std::move(topology)),
      rules_(runtime.selector().for_communicator(topology_)),
      plans_(runtime.plan_budget()),
      nonblocking_plans_(runtime.plan_budget()),
      persistent_plans_(runtime.plan_budget()),
      sites_(*this, world_ranks_) {}

PlanCache& Communicator::plans_of(CallKind kind) {
  if (kind == CallKind::blocking) return plans_;
  return kind == CallKind::nonblocking ? nonblocking_plans_ : persistent_plans_;
}

bool Communicator::goes_native(Collective collective, uint64_t bytes, bool bytes_known, CallKind kind) const {
  if (!rules_->is_native(collective, bytes, bytes_known, kind)) return false;
  constexpr uint64_t k_least_tuned_bytes = 1024;
  // A barrier carries nothing and still has shapes that differ.
  const bool is_small = bytes_known && bytes < k_least_tuned_bytes && collective != Collective::barrier;
  return !runtime_.tunes_all() || is_small;
}

Answer Communicator::prepare(const Request& request, CallKind kind, uint64_t expected_starts) {
  if (kind == CallKind::blocking && !has_agreed_) agree_on_memory();
  Answer answer;
  const bool is_persistent = kind == CallKind::persistent;
  if (runtime_.is_tuning())
    answer.site = is_persistent ? sites_.make_for_request(common_part(request), expected_starts)
                                : sites_.site_of(common_part(request), kind);
  if (answer.site == nullptr) {
    answer.prepared = prepare_by_rules(request, kind);
    return answer;
  }
  if (is_persistent) {  // its turns begin when it is started; until then it is what the rules chose
    answer.prepared = prepare_candidate(request, *answer.site, 0);
    return answer;
  }
  answer.turn = kind == CallKind::blocking ? answer.site->next() : answer.site->next_at_once();
  if (answer.turn) answer.prepared = prepare_candidate(request, *answer.site, answer.turn->candidate);
  return answer;
}

Prepared Communicator::prepare_by_rules(const Request& request, CallKind kind) {
  PlanCache& plans = plans_of(kind);
  Prepared prepared;
  if (plans.find(request, PlanCache::k_by_rules, &prepared)) return prepared;
  prepared = realise(request, kind, rules_->decide(common_part(request), topology_, kind));
  if (prepared.failure) plans.insert(request, PlanCache::k_by_rules, prepared);
  return prepared;
}

Prepared Communicator::prepare_candidate(const Request& request, const Site& site, uint32_t number) {
  const CallKind kind = site.shape().kind;
  PlanCache& plans = plans_of(kind);
  Prepared prepared;
  if (plans.find(request, number, &prepared)) return prepared;
  const select::Candidate& candidate = site.candidate(number);
  select::Decision decision{
      .choice = candidate.choice, .reason = "run-time selection", .progress = candidate.progress};
  std::string why_not;  // the guard has seen another request of this size class
  if (!candidate.is_native() && !candidate.choice.algorithm->applies(common_part(request), topology_,
                                                                     candidate.choice.parameters, &why_not))
    decision = {.choice = {}, .reason = "run-time selection; refused: " + why_not};
  prepared = realise(request, kind, std::move(decision));
  if (prepared.failure) plans.insert(request, number, prepared);
  return prepared;
}

Prepared Communicator::prepare_wish(const Request& request, CallKind kind, const algorithm::Choice& choice) {
  select::Decision decision{.choice = choice, .reason = "hint of the program"};
  std::string why_not;
  if (!choice.algorithm->applies(common_part(request), topology_, choice.parameters, &why_not))
    decision = {.choice = {}, .reason = "hint of the program; refused: " + why_not};
  return realise(request, kind, std::move(decision));
}

void Communicator::agree_on_memory() {
  has_agreed_ = true;
  make_ways();
  uint64_t least = local_->operation_bytes();
  const NativeCollective native(comm_);
  // Where this fails the communicator's error handler has had its say; without node memory all is still
  // right.
  if (PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, comm_) == MPI_SUCCESS)
    agreed_node_bytes_ = least;
}

void Communicator::make_ways() {
  if (engine_) return;
  local_.emplace(runtime_.node_share(), id(), topology_, rank_, world_ranks_);
  network_.emplace(runtime_.private_comm(), world_ranks_);
  engine::Ports ports = local_->ports(*network_);
  if (transport::Network* const second = runtime_.second_network())
    second_network_ = second->make_endpoint(transport::Space::operations, world_ranks_);
  ports.second_network = second_network_.get();
  engine_.emplace(ports, runtime_.wait_policy(), runtime_.ranks_on_machine(), &runtime_.drivers().in_call());
}

Prepared Communicator::realise(const Request& request, CallKind kind, select::Decision decision) {
  Prepared prepared{.mode = decision.progress.mode};
  if (!decision.is_native()) {
    const algorithm::Choice& choice = decision.choice;
    const Status enough = check_memory(common_part(request), choice, kind);
    if (auto plan = enough ? make_plan(request, choice) : enough) {
      prepared.plan = std::move(*plan);
    } else if (plan.status().code() == base::Code::out_of_memory) {
      prepared.failure = plan.status();  // the other ranks have what this one lacks, and wait for it
    } else {
      decision.reason = algorithm::to_string(choice) + " cannot run: " + plan.status().message();
      decision.choice = {};
      runtime_.say_if_verbose(std::string(algorithm::to_string(request.collective)) + ": " + decision.reason);
    }
  }
  if (Report* report = runtime_.report()) {
    uint64_t bytes = 0;
    const bool is_known = select::bytes_of_interest(request, &bytes);
    prepared.line = report->line(
        request.collective, kind, Report::size_class_of(bytes, is_known),
        prepared.plan ? to_string(select::Candidate{decision.choice, decision.progress}) : "native",
        decision.reason);
  }
  return prepared;
}

/// Any error here is an error on all ranks, because builders refuse by what all of them know; but for a want of
/// memory.
base::Result<std::shared_ptr<const engine::Plan>> Communicator::make_plan(
    const Request& request, const algorithm::Choice& choice) const {
  auto schedule = choice.algorithm->build(request, rank_, topology_, choice.parameters);
  if (!schedule) return schedule.status();
  const auto window = static_cast<uint32_t>(runtime_.settings().number("TUTTI_WINDOW"));
  return engine::Plan::make(std::move(*schedule), {.window = window});
}

/// A rank that is alone on its node has what it needs, unless the call does not block. All ranks ask for all
/// nodes, so that they find the same. What a node needs depends on its size and on whether the root is in it:
/// one node of a kind is enough. What depends on sizes that only some ranks know may not use the node's
/// memory.
Status Communicator::check_memory(const Request& common, const algorithm::Choice& choice,
                                  CallKind kind) const {
  const bool is_blocking = kind == CallKind::blocking;
  const uint64_t node_bytes = is_blocking ? agreed_node_bytes_ : 0;
  if (node_bytes == UINT64_MAX) return {};
  std::vector<std::pair<size_t, bool>> seen;
  for (int32_t node = 0; node < topology_.node_count(); ++node) {
    const std::pair<size_t, bool> node_kind{topology_.ranks_of(node).size(),
                                            topology_.node_of(common.root) == node};
    if ((is_blocking && node_kind.first < 2) || !common.blocks.known ||
        std::find(seen.begin(), seen.end(), node_kind) != seen.end())
      continue;
    seen.push_back(node_kind);
    const auto schedule =
        choice.algorithm->build(common, topology_.leader_of(node), topology_, choice.parameters);
    if (!schedule) return schedule.status();
    if (schedule->node_bytes() > node_bytes)
      return Status::not_supported("it takes " + std::to_string(schedule->node_bytes()) +
                                   " bytes of a node's shared memory, where " + std::to_string(node_bytes) +
                                   " are available");
  }
  return {};
}

transport::Tag Communicator::next_tag() {
  const uint16_t number = sequence_++ % k_persistent_tags;
  return static_cast<transport::Tag>(id()) << 16 | number;
}

transport::Tag Communicator::persistent_tag(uint16_t number) const {
  return static_cast<transport::Tag>(id()) << 16 | k_persistent_tags | number;
}

Status Communicator::run(const engine::Plan& plan, engine::Bindings bindings) {
  // Only blocking calls use it, hence nobody does now.
  local_->prepare(plan.schedule().node_bytes());
  if (jobs_.load(std::memory_order_acquire) > 0) return run_behind_jobs(plan, bindings);
  bindings.tag = next_tag();
  return engine_->run(plan, bindings);
}

/// The engine has jobs, hence belongs to their driver: what blocks has to stand in line.
Status Communicator::run_behind_jobs(const engine::Plan& plan, const engine::Bindings& bindings) {
  AwaitedJob job(*this);
  hand_over(&job, &plan, bindings);
  return job.wait(runtime_.drivers());
}

void Communicator::settle() const {
  Drivers& drivers = runtime_.drivers();
  drivers.drive_until([&] {
    drivers.keep_mpi_alive();
    return !has_held();
  });
}

void Communicator::hand_over(engine::Job* job, const engine::Plan* plan, const engine::Bindings& bindings,
                             select::ProgressMode mode) {
  make_ways();
  job->bindings = bindings;
  job->bindings.tag = next_tag();
  job->engine = &*engine_;
  job->plan = plan;
  Drivers& drivers = runtime_.drivers();
  if (jobs_.load(std::memory_order_acquire) == 0) driver_ = &drivers.driver_for(mode);
  hold();
  jobs_.fetch_add(1, std::memory_order_relaxed);
  driver_->submit(job);
  drivers.drive();  // what is left to this thread starts now
}

void Communicator::job_ended() {
  jobs_.fetch_sub(1, std::memory_order_release);
  let_go();
}

std::shared_ptr<Communicator> Communicator::keep() {
  hold();
  return {this, [](Communicator* kept) { kept->let_go(); }};
}

void Communicator::freed() {
  is_freed_.store(true, std::memory_order_release);
  let_go();
}

void Communicator::let_go() {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace tutti::mpi
