// Two-level pipelined broadcast (paper 000 §2.3, fig. 5 and 7): a flat algorithm moves each segment between the
// leaders, and a leader forwards it inside its node as soon as it has arrived. The root leads its node.
//
//   node 0         node 1         node 2              segment s:  ═► between nodes   ─► inside a node
//   0 ═══ s0 s1 ═► 2 ═══ s0 s1 ═► 4
//   └─ s0 s1 ─► 1  └─ s0 s1 ─► 3  └─ s0 s1 ─► 5
//
// Rounds at most R_inter + R_intra of a segment, busiest rank at most n times the maximum number of messages that a
// leader sends per segment. With the chain between nodes every link carries n bytes once.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"chain", "knomial", "linear", "rdaas", "ringaas"};
constexpr std::string_view k_intra[] = {"linear", "knomial", "shared"};

constexpr Parameter k_parameters[] = {choice_parameter("inter", "algorithm between nodes", k_inter),
                                      choice_parameter("intra", "algorithm inside a node", k_intra),
                                      segment_parameter(16 << 10)};

struct Levels {
  explicit Levels(const ParameterSet& parameters)
      : inter(chosen(Collective::bcast, k_parameters[0], parameters[0])),
        intra(chosen(Collective::bcast, k_parameters[1], parameters[1])) {}
  const Algorithm& inter;
  const Algorithm& intra;
};

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2]);
  const auto level = [&](Rank ranks) { return level_request(request, Collective::bcast, ranks, 0, segment); };
  return has_two_levels(request, topology, parameters, why_not) &&
         segments_fit(request.bytes, segment, why_not) &&
         level_applies(levels.inter, FlatBuilder::Level::inter, level(topology.node_count()), why_not) &&
         level_applies(levels.intra, FlatBuilder::Level::intra, level(topology.largest_node_size()), why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  const Levels levels(parameters);
  const TwoLevel two(topology, me, request.root);
  FlatBuilder inter(levels.inter, FlatBuilder::Level::inter, two.node_count(), two.my_node());
  FlatBuilder intra(levels.intra, FlatBuilder::Level::intra, two.member_count(), two.my_local_index());
  const Request between = level_request(request, Collective::bcast, two.node_count(), two.root_node(), 0);
  const Request inside =
      level_request(request, Collective::bcast, two.member_count(), two.leader_local_index(), 0);

  const uint64_t segment = segment_bytes(request.bytes, parameters[2]);
  ScheduleBuilder builder;
  SegmentRing inter_memory(builder, inter.get(between.with_bytes(segment)).scratch_bytes(), 0);
  SegmentRing intra_memory(builder, 0, intra.get(inside.with_bytes(segment)).node_bytes());
  for (uint64_t at = 0, index = 0; at < request.bytes; at += segment, ++index) {
    const BufRef piece{Slot::output, at, std::min(segment, request.bytes - at)};
    Nested arrived;
    if (two.leads())
      arrived =
          builder.nest(inter.get(between.with_bytes(piece.length)),
                       {.output = piece, .peers = two.leaders(), .scratch = inter_memory.scratch(index)},
                       inter_memory.free(index));
    const Nested handed_on =
        builder.nest(intra.get(inside.with_bytes(piece.length)),
                     {.output = piece, .peers = two.locals(), .node = intra_memory.node(index)},
                     {arrived.ready, intra_memory.free(index)});
    inter_memory.set_done(index, arrived.done);
    intra_memory.set_done(index, handed_on.done);
  }
  return finish_levels(std::move(builder), {&inter, &intra});
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2]);
  const auto level = [&](Rank ranks) { return level_request(request, Collective::bcast, ranks, 0, segment); };
  return two_level_bound(
      {level_cost(levels.inter, FlatBuilder::Level::inter, level(topology.node_count())),
       level_cost(levels.intra, FlatBuilder::Level::intra, level(topology.largest_node_size()))},
      segment_count(request.bytes, segment));
}

}  // namespace

extern const Algorithm bcast_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: a flat algorithm between nodes, another inside them, joined per segment",
    .source = "Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
