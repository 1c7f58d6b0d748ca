// Early return (paper 002; DESIGN §6a): a blocking call hands its schedule to the progress thread and returns before
// the data is complete.

#include "collective/backend/backend.hpp"
#include "collective/early_return_policy.hpp"

namespace tutti::collective {

extern const Backend schedule_backend;

namespace {

bool takes(const select::Candidate&, const Execution& execution) {
  return execution.returns_early;
}

base::Status can_serve(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                       const select::Candidate& candidate, const Execution& execution) {
  if (!may_return_early(context.options, *context.group.topology, request.collective))
    return base::Status::not_supported("calls do not return early here (TUTTI_OVERLAP)");
  return schedule_backend.can_serve(context, request, candidate, execution);
}

base::Result<CallWork> prepare(const BackendContext& context, const algorithm::Request& request,
                               const select::Candidate& candidate, const Execution& execution) {
  return schedule_backend.prepare(context, request, candidate, execution);
}

}  // namespace

extern const Backend early_return_backend;
const Backend early_return_backend = {.takes = takes, .can_serve = can_serve, .prepare = prepare};

}  // namespace tutti::collective
