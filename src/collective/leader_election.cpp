#include "collective/leader_election.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tutti::collective {

base::Result<LeaderElection::Outcome> LeaderElection::arrive(const algorithm::Request& request,
                                                             const algorithm::Choice& choice,
                                                             uint32_t sequence) {
  const auto arrival = compete(request, sequence);
  if (!arrival) return arrival.status();
  auto plan = plan_for(request, choice, arrival->leader);
  if (!plan) return plan.status();
  return Outcome{.is_leader = arrival->is_leader, .plan = std::move(*plan)};
}

base::Result<Arrival> LeaderElection::compete(const algorithm::Request& request, uint32_t sequence) {
  if (queue_ == nullptr) return Arrival{.leader = 0, .is_leader = true};
  std::optional<uint32_t> root;
  if (algorithm::is_rooted(request.collective) && topology_.node_of(request.root) == topology_.node_of(me_))
    root = static_cast<uint32_t>(topology_.local_index(request.root));
  return queue_->arrive(static_cast<uint32_t>(topology_.local_index(me_)),
                        static_cast<uint8_t>(request.collective), sequence, root);
}

base::Result<std::shared_ptr<const engine::Plan>> LeaderElection::plan_for(const algorithm::Request& request,
                                                                           const algorithm::Choice& choice,
                                                                           uint32_t leader) {
  const auto members = topology_.ranks_of(topology_.node_of(me_));
  const PlanVariant variant{
      .number = number_of(choice) * static_cast<uint32_t>(topology_.rank_count()) + leader,
      .leader = select::LeaderPolicy::first};
  PreparedCall prepared;
  if (plans_.find(request, variant, &prepared)) return std::get<ScheduledCall>(prepared.work).plan;
  auto schedule =
      choice.algorithm->build(request, me_, topology_.with_leader(members[leader]), choice.parameters);
  if (!schedule) return schedule.status();
  auto plan = engine::Plan::make(std::move(*schedule), limits_);
  if (!plan) return plan.status();
  prepared.work = ScheduledCall{*plan};
  plans_.insert(request, variant, prepared);
  return *plan;
}

uint32_t LeaderElection::number_of(const algorithm::Choice& choice) {
  const auto at = std::ranges::find(choices_, choice);
  const auto number = static_cast<uint32_t>(at - choices_.begin());
  if (at == choices_.end()) choices_.push_back(choice);
  return number;
}

}  // namespace tutti::collective
