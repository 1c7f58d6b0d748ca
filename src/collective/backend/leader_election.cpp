// Leader policy `first` (collective/leader_election.hpp): which rank leads its node is known when the ranks arrive, so
// the schedule is built then.

#include "collective/backend/backend.hpp"

namespace tutti::collective {

extern const Backend schedule_backend;

namespace {

bool takes(const select::Candidate& candidate, const Execution&) {
  return candidate.leader == select::LeaderPolicy::first;
}

base::Status can_serve(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                       const select::Candidate& candidate, const Execution& execution) {
  if (!context.group.are_threads)
    return base::Status::not_supported("between processes no message can be addressed to a node");
  return schedule_backend.can_serve(context, request, candidate, execution);
}

base::Result<CallWork> prepare(const BackendContext&, const algorithm::Request&,
                               const select::Candidate& candidate, const Execution&) {
  return CallWork(ElectedCall{candidate.choice});
}

}  // namespace

extern const Backend leader_election_backend;
const Backend leader_election_backend = {.takes = takes, .can_serve = can_serve, .prepare = prepare};

}  // namespace tutti::collective
