#include "actors/calls/collectives.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "actors/container/container_group.hpp"

namespace tutti::actors {

namespace {

constexpr uint64_t k_plan_bytes = uint64_t{4} << 20;  // per communicator of each rank

/// Containers are its nodes, and the nodes of the job its groups.
topology::Topology topology_of(const Rank& me, const Communicator& on) {
  const RankMap& map = me.container().rank_map();
  std::vector<int32_t> containers, node_of_container;
  for (const int member : on.members()) containers.push_back(map.leader_of(member));
  const auto topology = *topology::Topology::from_node_of_rank(containers);
  for (int32_t container = 0; container < topology.node_count(); ++container)
    node_of_container.push_back(
        map.node_of(on.members()[static_cast<size_t>(topology.ranks_of(container)[0])]));
  return topology.with_groups(node_of_container);
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
    : me_(me),
      on_(on),
      topology_(topology_of(me, on)),
      rank_(on.rank()),
      group_(key_of(on)),
      group_member_(join_group(me, on, topology_)),
      endpoint_(std::make_unique<Endpoint>(me, on, group_, topology_)),
      engine_(std::make_unique<engine::CpuEngine>(engine::Ports{
          .networks = {endpoint_.get()}, .local = endpoint_.get(), .node = group_member_.get()})),
      dispatcher_(*this,
                  {.rank = rank_,
                   .world_ranks = on.members(),
                   .topology = &topology_,
                   .owner = this,
                   .are_threads = true},
                  me.services().job().selector.for_communicator(topology_)),
      election_(budget_, topology_, rank_, &group_member_->leaders()) {
  budget_.set_limit(k_plan_bytes);
  dispatcher_.know_node_bytes(ContainerGroup::k_memory_bytes);
  me.services().add(dispatcher_.sites(), rank_);
}

Collectives::~Collectives() {
  me_.services().remove(dispatcher_.sites());
  engine_.reset();
  endpoint_.reset();
  group_member_.reset();
  me_.container().drop_group_if_over(group_);
}

base::Result<engine::Operation*> Collectives::start(const algorithm::Request& request,
                                                    select::CallInterface interface,
                                                    engine::Bindings bindings, uint32_t number,
                                                    collective::DispatchedCall* dispatched) {
  *dispatched = dispatcher_.prepare(request, interface);
  if (const base::Status status = elect(request, number, &dispatched->prepared); !status) return status;
  if (const base::Status able = dispatched->prepared.status(); !able) return able;
  const engine::Plan* const plan = dispatched->prepared.plan();
  if (plan == nullptr) return base::Status::not_supported("no algorithm serves this call");
  bindings.tag = number;
  return engine_->start(*plan, bindings);
}

base::Status Collectives::elect(const algorithm::Request& request, uint32_t number,
                                collective::PreparedCall* prepared) {
  const auto* const elected = std::get_if<collective::ElectedCall>(&prepared->work);
  if (elected == nullptr) return {};
  auto outcome = election_.arrive(request, elected->choice, number);
  if (!outcome) return outcome.status();
  prepared->work = collective::ScheduledCall{std::move(outcome->plan)};
  return {};
}

const collective::Options& Collectives::options() const {
  return me_.services().job().options;
}

collective::Report* Collectives::report() {
  return me_.services().report();
}

std::unique_ptr<transport::Endpoint> Collectives::make_endpoint(transport::Space, std::span<const int>) {
  return std::make_unique<Endpoint>(me_, on_, on_.context(Traffic::agreement), topology_);
}

engine::Driver& Collectives::agreement_driver() {
  return me_.services().agreements();
}

void Collectives::drive_agreements() {
  me_.services().agreements().progress();
}

void Collectives::await_agreement(engine::Signal& end) {
  me_.wait_until([&end] { return end.is_set(); });
}

Collectives& collectives_of(Rank& me, Communicator& on) {
  if (on.collectives == nullptr) on.collectives = std::make_unique<Collectives>(me, on);
  return static_cast<Collectives&>(*on.collectives);
}

}  // namespace tutti::actors
