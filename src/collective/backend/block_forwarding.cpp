// Block forwarding (algorithm/block_forwarding.hpp): blocks pass through ranks that do not know their sizes, so a call
// has two operations, the first of which brings the sizes.

#include <utility>

#include "collective/backend/backend.hpp"

namespace tutti::collective {

extern const Backend schedule_backend;

namespace {

bool takes(const select::Candidate& candidate, const Execution&) {
  return candidate.choice.algorithm->forwarding != nullptr;
}

base::Status can_serve(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                       const select::Candidate& candidate, const Execution& execution) {
  if (!execution.waits_inside || context.group.are_threads)
    return base::Status::not_supported(
        "the sizes of what passes through a rank take a call that waits for them");
  return schedule_backend.can_serve(context, request, candidate, execution);
}

base::Result<CallWork> prepare(const BackendContext& context, const algorithm::Request& request,
                               const select::Candidate& candidate, const Execution&) {
  const algorithm::BlockForwarding& forwarding = *candidate.choice.algorithm->forwarding;
  const topology::Topology& topology = *context.group.topology;
  const algorithm::ParameterSet& parameters = candidate.choice.parameters;
  auto sizes = forwarding.build_sizes(request, context.group.rank, topology, parameters);
  if (!sizes) return sizes.status();
  auto plan = engine::Plan::make(std::move(*sizes), {.window = context.options.window});
  if (!plan) return plan.status();
  return CallWork(TwoPhaseCall{
      .sizes_plan = std::move(*plan),
      .choice = candidate.choice,
      .request = std::make_shared<const algorithm::OwnedRequest>(request),
      .forwarded_blocks = forwarding.forwarded_blocks(request, context.group.rank, topology, parameters)});
}

}  // namespace

extern const Backend block_forwarding_backend;
const Backend block_forwarding_backend = {
    .takes = takes, .can_serve = can_serve, .prepare = prepare, .operations_per_call = 2};

}  // namespace tutti::collective
