// Two-level barrier: the members of a node notify their leader, the leaders synchronise, and each leader releases its
// members.
//
//   members ─► leader ◄═► leaders, leader ─► members
//
// Rounds R_inter + 2 (R_inter if every node has one rank), no bytes.

#include "algorithm/hierarchy.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"dissemination", "tree", "descriptor"};

constexpr Parameter k_parameters[] = {choice_parameter("inter", "algorithm between nodes", k_inter)};

LevelAlgorithm inter_algorithm(const ParameterSet& parameters, const Topology& topology) {
  return LevelAlgorithm::between_nodes(chosen(Collective::barrier, k_parameters[0], parameters[0]), topology);
}

Request between(const Request& request, const Topology& topology) {
  return level_request(request, Collective::barrier, topology.node_count(), 0, 0);
}

bool inter_applies(const RankInvariantRequest& request, const Topology& topology,
                   const ParameterSet& parameters, std::string* why_not) {
  return inter_algorithm(parameters, topology).applies(between(request.representative(), topology), why_not);
}

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  const TwoLevel two(topology, me);
  ScheduleBuilder builder;
  if (!two.leads()) {
    const TaskId reported = builder.notify(two.local_leader());
    builder.await(two.local_leader(), reported);
    return std::move(builder).finish();
  }
  LevelBuilder inter(inter_algorithm(parameters, topology), two.my_node());
  std::vector<TaskId> reports;
  for (Rank member : two.members())
    if (member != me) reports.push_back(builder.await(Peer::local(member)));
  const Nested met = builder.nest(inter.get(between(request, topology)), {.peers = two.leaders()}, reports);
  for (Rank member : two.members())
    if (member != me) builder.notify(Peer::local(member), met.done);
  if (!inter.status()) return inter.status();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  const Cost inter = inter_algorithm(parameters, topology).cost(between(request, topology));
  return {.rounds = inter.rounds + 2, .busiest_bytes = 0, .is_upper_bound = true};
}

}  // namespace

extern const Algorithm barrier_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: members report to their leader, leaders meet, leaders release",
    .source = "folklore",
    .collective = Collective::barrier,
    .parameters = k_parameters,
    .applies = applies_if<has_two_levels, inter_applies>,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
