#include "mpi/communicator.hpp"

#include <utility>

#include "algorithm/algorithm.hpp"
#include "mpi/runtime.hpp"

namespace tutti::mpi {

using algorithm::Request;
using base::Status;

Communicator::Communicator(Runtime& runtime, MPI_Comm comm, CommId id, int rank, std::vector<int> world_ranks,
                           topology::Topology topology)
    : runtime_(runtime),
      comm_(comm),
      id_(id),
      rank_(rank),
      world_ranks_(std::move(world_ranks)),
      topology_(std::move(topology)),
      rules_(runtime.selector().for_communicator(topology_)),
      plans_(runtime.plan_budget()) {}

Prepared Communicator::prepare(const Request& request) {
  Prepared prepared;
  if (plans_.find(request, &prepared)) return prepared;
  prepared = decide(request);
  plans_.insert(request, prepared);
  return prepared;
}

Prepared Communicator::decide(const Request& request) {
  select::Decision decision = rules_->decide(request, topology_);
  Prepared prepared;
  if (!decision.is_native()) {
    const algorithm::Choice& choice = decision.choice;
    auto schedule = choice.algorithm->build(request, rank_, topology_, choice.parameters);
    auto plan = schedule ? engine::Plan::make(std::move(*schedule),
                                              {.window = static_cast<uint32_t>(runtime_.settings().number("TUTTI_WINDOW"))})
                         : schedule.status();
    if (plan) {
      prepared.plan = std::move(*plan);
    } else {
      // The same on all ranks: a builder refuses by what all of them know.
      decision.reason = algorithm::to_string(choice) + " cannot be built: " + plan.status().message();
      decision.choice = {};
      runtime_.say_if_verbose(std::string(algorithm::to_string(request.collective)) + ": " + decision.reason);
    }
  }
  if (Report* report = runtime_.report()) {
    uint64_t bytes = 0;
    const bool is_known = select::bytes_of_interest(request, &bytes);
    prepared.line = report->line(request.collective, Report::size_class_of(bytes, is_known),
                                 prepared.plan ? algorithm::to_string(decision.choice) : "native", decision.reason);
  }
  return prepared;
}

Status Communicator::run(const engine::Plan& plan, const std::byte* input, std::byte* output,
                         const engine::Reducer* reducer) {
  if (!engine_) {
    network_.emplace(runtime_.private_comm(), world_ranks_);
    engine_.emplace(engine::Ports{.network = &*network_, .local = &*network_}, runtime_.wait_policy(),
                    runtime_.ranks_on_machine());
  }
  const auto tag = static_cast<transport::Tag>(id_) << 16 | sequence_++;
  return engine_->run(plan, {.input = input, .output = output, .reducer = reducer, .tag = tag});
}

}  // namespace tutti::mpi
