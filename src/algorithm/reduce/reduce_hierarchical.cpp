// Two-level pipelined reduce: each segment is reduced inside every node to its leader, then between the leaders to the
// root, which leads its node (DESIGN §2, after paper 000 §2.3).
//
//   members ─► leader      reduce inside the node       segment s+1
//   leader ═══► root       reduce between nodes         segment s
//
// Rounds at most R_intra + R_inter per turn of the segment ring. With the chain between nodes every link carries n
// bytes once, which is the minimum.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"chain", "knomial", "rsg"};

constexpr Parameter k_parameters[] = {choice_parameter("inter", "algorithm between nodes", k_inter),
                                      segment_parameter(16 << 10)};

struct Levels {
  explicit Levels(const ParameterSet& parameters)
      : intra(*find(Collective::reduce, "knomial")),
        inter(chosen(Collective::reduce, k_parameters[0], parameters[0])) {}
  const Algorithm& intra;
  const Algorithm& inter;
};

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[1], request.element_bytes);
  const auto level = [&](Rank ranks) {
    return level_request(request, Collective::reduce, ranks, 0, segment);
  };
  return has_two_levels(request, topology, parameters, why_not) && is_commutative(request, why_not) &&
         segments_fit(request.bytes, segment, why_not) &&
         level_applies(levels.intra, FlatBuilder::Level::intra, level(topology.largest_node_size()),
                       why_not) &&
         level_applies(levels.inter, FlatBuilder::Level::inter, level(topology.node_count()), why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  const Levels levels(parameters);
  const TwoLevel two(topology, me, request.root);
  FlatBuilder intra(levels.intra, FlatBuilder::Level::intra, two.member_count(), two.my_local_index());
  FlatBuilder inter(levels.inter, FlatBuilder::Level::inter, two.node_count(), two.my_node());

  // MPI_IN_PLACE is significant at the root only.
  Request own = request;
  own.in_place = request.in_place && me == request.root;
  // A node with one rank needs no reduction: its operand is the input of the reduction between nodes.
  const bool alone = two.member_count() == 1;
  Request inside = level_request(own, Collective::reduce, two.member_count(), two.leader_local_index(), 0);
  Request between = level_request(own, Collective::reduce, two.node_count(), two.root_node(), 0);
  between.in_place = alone && own.in_place;

  const uint64_t segment = segment_bytes(request.bytes, parameters[1], request.element_bytes);
  ScheduleBuilder builder;
  SegmentRing sums(builder, alone ? 0 : segment, 0);
  SegmentRing intra_memory(builder, intra.get(inside.with_bytes(segment)).scratch_bytes(), 0);
  SegmentRing inter_memory(builder, inter.get(between.with_bytes(segment)).scratch_bytes(), 0);
  for (uint64_t at = 0, index = 0; at < request.bytes; at += segment, ++index) {
    const uint64_t length = std::min(segment, request.bytes - at);
    const BufRef operand = own.operand().part(at, length);
    const BufRef sum = alone ? operand : sums.scratch(index).part(0, length);
    const Nested reduced = builder.nest(
        intra.get(inside.with_bytes(length)),
        {.input = operand, .output = sum, .peers = two.locals(), .scratch = intra_memory.scratch(index)},
        {sums.free(index), intra_memory.free(index)});
    intra_memory.set_done(index, reduced.done);
    if (!two.leads()) continue;
    const Nested sent = builder.nest(inter.get(between.with_bytes(length)),
                                     {.input = sum,
                                      .output = {Slot::output, at, length},
                                      .peers = two.leaders(),
                                      .scratch = inter_memory.scratch(index)},
                                     {reduced.done, inter_memory.free(index)});
    sums.set_done(index, sent.done);
    inter_memory.set_done(index, sent.done);
  }
  return finish_levels(std::move(builder), {&intra, &inter});
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[1], request.element_bytes);
  const auto level = [&](Rank ranks, Rank root) {
    return level_request(request, Collective::reduce, ranks, root, segment);
  };
  return two_level_bound(
      {level_cost(levels.intra, FlatBuilder::Level::intra, level(topology.largest_node_size(), 0)),
       level_cost(levels.inter, FlatBuilder::Level::inter,
                  level(topology.node_count(), topology.node_of(request.root)))},
      segment_count(request.bytes, segment));
}

}  // namespace

extern const Algorithm reduce_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: reduce inside nodes, then a flat reduce between them, per segment",
    .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
