// Two-level pipelined allreduce: each segment is reduced inside every node to its leader, allreduced between the
// leaders and handed on inside the nodes (DESIGN §2, after paper 000 §2.3).
//
//   members ─► leader      reduce inside the node        segment s+1
//   leader ◄═► leaders     allreduce between nodes       segment s
//   leader ─► members      broadcast inside the node     segment s-1
//
// Rounds at most R_reduce + R_inter + R_bcast per turn of the segment ring. With the ring between nodes every link
// carries 2·(N-1)/N·n bytes, the least possible.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"ring", "recursive_doubling", "rabenseifner", "reduce_bcast"};
constexpr std::string_view k_intra[] = {"linear", "knomial", "shared"};

constexpr Parameter k_parameters[] = {
    {.name = "inter", .summary = "algorithm between nodes", .unit = Parameter::Unit::choice, .max = 3,
     .choices = k_inter},
    {.name = "intra", .summary = "broadcast inside a node", .unit = Parameter::Unit::choice, .max = 2,
     .choices = k_intra},
    {.name = "segment", .summary = "bytes that travel together", .unit = Parameter::Unit::bytes,
     .default_value = 128 << 10, .min = 1, .max = uint64_t{1} << 30},
};

struct Levels {
  explicit Levels(const ParameterSet& parameters)
      : reduce(*find(Collective::reduce, "knomial")),
        inter(chosen(Collective::allreduce, k_parameters[0], parameters[0])),
        bcast(chosen(Collective::bcast, k_parameters[1], parameters[1])) {}
  const Algorithm& reduce;
  const Algorithm& inter;
  const Algorithm& bcast;
};

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters, std::string* why_not) {
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2], request.element_bytes);
  const Rank members = topology.largest_node_size();
  return has_two_levels(topology, why_not) && is_commutative(request, why_not) &&
         segments_fit(request.bytes, segment, why_not) &&
         level_applies(levels.reduce, FlatBuilder::Level::intra,
                       level_request(request, Collective::reduce, members, 0, segment), why_not) &&
         level_applies(levels.inter, FlatBuilder::Level::inter,
                       level_request(request, Collective::allreduce, topology.node_count(), 0, segment), why_not) &&
         level_applies(levels.bcast, FlatBuilder::Level::intra,
                       level_request(request, Collective::bcast, members, 0, segment), why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  const Levels levels(parameters);
  const TwoLevel two(topology, me);
  FlatBuilder reduce(levels.reduce, FlatBuilder::Level::intra, two.member_count(), two.my_local_index());
  FlatBuilder inter(levels.inter, FlatBuilder::Level::inter, two.node_count(), two.my_node());
  FlatBuilder bcast(levels.bcast, FlatBuilder::Level::intra, two.member_count(), two.my_local_index());

  // A node of one rank has nothing to reduce first: its operand goes straight into the network part.
  const bool alone = two.member_count() == 1;
  Request inside = level_request(request, Collective::reduce, two.member_count(), two.leader_local_index(), 0);
  Request between = level_request(request, Collective::allreduce, two.node_count(), 0, 0);
  between.in_place = alone && request.in_place;
  Request after = level_request(request, Collective::bcast, two.member_count(), two.leader_local_index(), 0);

  const uint64_t segment = segment_bytes(request.bytes, parameters[2], request.element_bytes);
  ScheduleBuilder builder;
  SegmentRing sums(builder, alone ? 0 : segment, 0);
  SegmentRing reduce_memory(builder, reduce.get(inside.with_bytes(segment)).scratch_bytes(), 0);
  SegmentRing inter_memory(builder, inter.get(between.with_bytes(segment)).scratch_bytes(), 0);
  SegmentRing bcast_memory(builder, 0, bcast.get(after.with_bytes(segment)).node_bytes());
  for (uint64_t at = 0, index = 0; at < request.bytes; at += segment, ++index) {
    const uint64_t length = std::min(segment, request.bytes - at);
    const BufRef operand = request.operand().part(at, length);
    const BufRef result{Slot::output, at, length};
    const BufRef sum = alone ? operand : sums.scratch(index).part(0, length);

    const Nested reduced = builder.nest(
        reduce.get(inside.with_bytes(length)),
        {.input = operand, .output = sum, .peers = two.locals(), .scratch = reduce_memory.scratch(index)},
        {sums.free(index), reduce_memory.free(index)});
    Nested exchanged{reduced.done, reduced.done};
    if (two.leads())
      exchanged = builder.nest(
          inter.get(between.with_bytes(length)),
          {.input = sum, .output = result, .peers = two.leaders(), .scratch = inter_memory.scratch(index)},
          {reduced.done, inter_memory.free(index)});
    const Nested handed_on =
        builder.nest(bcast.get(after.with_bytes(length)),
                     {.output = result, .peers = two.locals(), .node = bcast_memory.node(index)},
                     {exchanged.ready, bcast_memory.free(index)});
    reduce_memory.set_done(index, reduced.done);
    sums.set_done(index, exchanged.done);
    inter_memory.set_done(index, exchanged.done);
    bcast_memory.set_done(index, handed_on.done);
  }
  return finish_levels(std::move(builder), {&reduce, &inter, &bcast});
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2], request.element_bytes);
  const Rank members = topology.largest_node_size();
  const auto inside = [&](const Algorithm& algorithm, Collective collective) {
    return level_cost(algorithm, FlatBuilder::Level::intra, level_request(request, collective, members, 0, segment));
  };
  return two_level_bound(
      {inside(levels.reduce, Collective::reduce),
       level_cost(levels.inter, FlatBuilder::Level::inter,
                  level_request(request, Collective::allreduce, topology.node_count(), 0, segment)),
       inside(levels.bcast, Collective::bcast)},
      segment_count(request.bytes, segment));
}

}  // namespace

extern const Algorithm allreduce_hierarchical;
const Algorithm allreduce_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: reduce inside nodes, a flat allreduce between them, broadcast inside, per segment",
    .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::allreduce,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
