#include "actors/calls/collectives.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "actors/calls/choices.hpp"
#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/served_report.hpp"
#include "actors/container/container_group.hpp"

namespace tutti::actors {

namespace {

constexpr uint64_t k_plan_bytes = uint64_t{4} << 20;  // per communicator of each rank

topology::Topology topology_of(const Rank& me, const Communicator& on) {
  std::vector<int32_t> containers;
  for (const int member : on.members()) containers.push_back(me.container().rank_map().leader_of(member));
  return *topology::Topology::from_node_of_rank(containers);
}

ContainerGroupKey key_of(const Communicator& on) {
  return on.context(Traffic::collective);
}

std::unique_ptr<ContainerGroupMember> join_group(Rank& me, const Communicator& on,
                                                 const topology::Topology& topology) {
  std::vector<int> here;  // in this container
  for (const int rank : topology.ranks_of(topology.node_of(on.rank())))
    here.push_back(on.members()[static_cast<size_t>(rank)]);
  return me.container().join_group(key_of(on), here, static_cast<size_t>(topology.local_index(on.rank())));
}

}  // namespace

Collectives::Collectives(Rank& me, Communicator& on)
    : topology_(topology_of(me, on)),
      rank_(on.rank()),
      container_(me.container()),
      report_(me.report()),
      group_(key_of(on)),
      group_member_(join_group(me, on, topology_)),
      endpoint_(std::make_unique<Endpoint>(me, on, group_, topology_)),
      engine_(std::make_unique<engine::CpuEngine>(engine::Ports{
          .networks = {endpoint_.get()}, .local = endpoint_.get(), .node = group_member_.get()})),
      plans_(budget_),
      election_(budget_, topology_, rank_, group_member_.get()) {
  budget_.set_limit(k_plan_bytes);
}

Collectives::~Collectives() {
  engine_.reset();
  endpoint_.reset();
  group_member_.reset();
  container_.drop_group_if_over(group_);
}

base::Result<engine::Operation*> Collectives::start(const algorithm::Request& request,
                                                    select::CallInterface kind, engine::Bindings bindings,
                                                    uint32_t number) {
  auto plan = plan_for(request, kind, number);
  if (!plan) return plan.status();
  bindings.tag = number;
  return engine_->start(**plan, bindings);
}

base::Result<std::shared_ptr<const engine::Plan>> Collectives::plan_for(const algorithm::Request& request,
                                                                        select::CallInterface kind,
                                                                        uint32_t number) {
  const auto choice = choose(request, topology_);
  if (!choice) return choice.status();
  if (report_ != nullptr) report_->count(request, kind, *choice);
  if (choice->algorithm->name != k_two_levels || leader_policy() == select::LeaderPolicy::fixed)
    return fixed_plan_for(request, *choice);
  auto outcome = election_.arrive(request, *choice, number);
  if (!outcome) return outcome.status();
  return std::move(outcome->plan);
}

base::Result<std::shared_ptr<const engine::Plan>> Collectives::fixed_plan_for(
    const algorithm::Request& request, const algorithm::Choice& choice) {
  dispatch::PreparedCall prepared;
  if (plans_.find(request, dispatch::PlanCache::k_by_rules, &prepared))
    return std::get<dispatch::ScheduledCall>(prepared.work).plan;
  auto schedule = choice.algorithm->build(request, rank_, topology_, choice.parameters);
  if (!schedule) return schedule.status();
  auto plan = engine::Plan::make(std::move(*schedule), {});
  if (!plan) return plan.status();
  prepared.work = dispatch::ScheduledCall{*plan};
  plans_.insert(request, dispatch::PlanCache::k_by_rules, prepared);
  return *plan;
}

Collectives& collectives_of(Rank& me, Communicator& on) {
  if (on.collectives == nullptr) on.collectives = std::make_unique<Collectives>(me, on);
  return static_cast<Collectives&>(*on.collectives);
}

}  // namespace tutti::actors
