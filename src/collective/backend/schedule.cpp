// Schedules of the catalogue, which the engine carries out inside the call or on the progress thread.

#include <string>
#include <utility>

#include "collective/backend/backend.hpp"

namespace tutti::collective {
namespace {

bool takes(const select::Candidate&, const Execution&) {
  return true;
}

base::Status can_serve(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                       const select::Candidate& candidate, const Execution& execution) {
  std::string why_not;
  const algorithm::Choice& choice = candidate.choice;
  if (!choice.algorithm->applies(request, *context.group.topology, choice.parameters, &why_not))
    return base::Status::not_supported(why_not);
  return has_memory_for(context, request, choice, execution.has_node_memory);
}

base::Result<CallWork> prepare(const BackendContext& context, const algorithm::Request& request,
                               const select::Candidate& candidate, const Execution&) {
  auto plan = plan_of(context, request, candidate.choice);
  if (!plan) return plan.status();
  return CallWork(ScheduledCall{std::move(*plan)});
}

}  // namespace

extern const Backend schedule_backend;
const Backend schedule_backend = {.takes = takes, .can_serve = can_serve, .prepare = prepare};

}  // namespace tutti::collective
