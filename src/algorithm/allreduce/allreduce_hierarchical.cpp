// Two-level pipelined allreduce: each segment is reduced inside every node to its leader, allreduced between the
// leaders, and broadcast inside the nodes (DESIGN §2, after paper 000 §2.3).
//
//   members ─► leader      reduce inside the node        segment s+1
//   leader ◄═► leaders     allreduce between nodes       segment s
//   leader ─► members      broadcast inside the node     segment s-1
//
// Rounds at most R_reduce + R_inter + R_bcast per turn of the segment ring. With the ring between nodes every link
// carries 2·(N-1)/N·n bytes, which is the minimum.

#include <algorithm>
#include <vector>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"ring", "recursive_doubling", "rabenseifner", "reduce_bcast"};
constexpr std::string_view k_intra[] = {"linear", "knomial", "shared"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    choice_parameter("intra", "broadcast inside a node", k_intra),
    segment_parameter(128 << 10),
    {.name = "lanes",
     .summary = "members of a node that take turns as its leader",
     .default_value = 1,
     .min = 1,
     .max = 64},
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

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2], request.element_bytes);
  const Rank members = topology.largest_node_size();
  return has_two_levels(request, topology, parameters, why_not) && is_commutative(request, why_not) &&
         segments_fit(request.bytes, segment, why_not) &&
         level_applies(levels.reduce, FlatBuilder::Level::intra,
                       level_request(request, Collective::reduce, members, 0, segment), why_not) &&
         level_applies(levels.inter, FlatBuilder::Level::inter,
                       level_request(request, Collective::allreduce, topology.node_count(), 0, segment),
                       why_not) &&
         level_applies(levels.bcast, FlatBuilder::Level::intra,
                       level_request(request, Collective::bcast, members, 0, segment), why_not);
}

/// One rank's schedules for the segments of one lane.
struct Lane {
  Lane(const Levels& levels, const Request& request, Rank me, const Topology& topology, uint64_t lane)
      : two(topology, me, -1, lane),
        reduce(levels.reduce, FlatBuilder::Level::intra, two.member_count(), two.my_local_index()),
        inter(levels.inter, FlatBuilder::Level::inter, two.node_count(), two.my_node()),
        bcast(levels.bcast, FlatBuilder::Level::intra, two.member_count(), two.my_local_index()),
        inside(level_request(request, Collective::reduce, two.member_count(), two.leader_local_index(), 0)),
        between(level_request(request, Collective::allreduce, two.node_count(), 0, 0)),
        after(level_request(request, Collective::bcast, two.member_count(), two.leader_local_index(), 0)) {
    between.in_place = is_alone() && request.in_place;
  }

  /// A node with one rank needs no reduction: its operand is the input of the exchange between nodes.
  bool is_alone() const { return two.member_count() == 1; }

  TwoLevel two;
  FlatBuilder reduce, inter, bcast;
  Request inside, between, after;
};

/// Memory that the segments of all lanes use in turn.
struct Rings {
  Rings(ScheduleBuilder& builder, std::vector<Lane>& lanes, uint64_t segment)
      : sums(builder, lanes[0].is_alone() ? 0 : segment, 0),
        reduce(
            builder,
            most(lanes, [&](Lane& l) { return l.reduce.get(l.inside.with_bytes(segment)).scratch_bytes(); }),
            0),
        inter(
            builder,
            most(lanes, [&](Lane& l) { return l.inter.get(l.between.with_bytes(segment)).scratch_bytes(); }),
            0) {
    // Only the leader of a lane knows when its node memory has been read, so that lanes do not share it.
    for (Lane& lane : lanes)
      bcast.emplace_back(builder, 0, lane.bcast.get(lane.after.with_bytes(segment)).node_bytes());
  }

  template <class Bytes>
  static uint64_t most(std::vector<Lane>& lanes, Bytes bytes) {
    uint64_t largest = 0;
    for (Lane& lane : lanes) largest = std::max(largest, bytes(lane));
    return largest;
  }

  SegmentRing& bcast_of(uint64_t index) { return bcast[index % bcast.size()]; }

  SegmentRing sums, reduce, inter;
  std::vector<SegmentRing> bcast;  // by lane
};

void add_segment(ScheduleBuilder& builder, Lane& lane, Rings& rings, uint64_t index, BufRef operand,
                 BufRef result) {
  const uint64_t length = operand.length;
  const BufRef sum = lane.is_alone() ? operand : rings.sums.scratch(index).part(0, length);
  const Nested reduced = builder.nest(
      lane.reduce.get(lane.inside.with_bytes(length)),
      {.input = operand, .output = sum, .peers = lane.two.locals(), .scratch = rings.reduce.scratch(index)},
      {rings.sums.free(index), rings.reduce.free(index)});
  Nested exchanged{reduced.done, reduced.done};
  if (lane.two.leads())
    exchanged = builder.nest(
        lane.inter.get(lane.between.with_bytes(length)),
        {.input = sum, .output = result, .peers = lane.two.leaders(), .scratch = rings.inter.scratch(index)},
        {reduced.done, rings.inter.free(index)});
  SegmentRing& published = rings.bcast_of(index);
  const uint64_t turn = index / rings.bcast.size();
  const Nested handed_on =
      builder.nest(lane.bcast.get(lane.after.with_bytes(length)),
                   {.output = result, .peers = lane.two.locals(), .node = published.node(turn)},
                   {exchanged.ready, published.free(turn)});
  rings.reduce.set_done(index, reduced.done);
  rings.sums.set_done(index, exchanged.done);
  rings.inter.set_done(index, exchanged.done);
  published.set_done(turn, handed_on.done);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  const Levels levels(parameters);
  std::vector<Lane> lanes;
  for (uint64_t lane = 0; lane < lanes_of(topology, parameters[3]); ++lane)
    lanes.emplace_back(levels, request, me, topology, lane);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2], request.element_bytes);
  ScheduleBuilder builder;
  Rings rings(builder, lanes, segment);
  for (uint64_t at = 0, index = 0; at < request.bytes; at += segment, ++index) {
    const uint64_t length = std::min(segment, request.bytes - at);
    add_segment(builder, lanes[index % lanes.size()], rings, index, request.operand().part(at, length),
                {Slot::output, at, length});
  }
  for (const Lane& lane : lanes)
    if (base::Status status = first_error({&lane.reduce, &lane.inter, &lane.bcast}); !status) return status;
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const Levels levels(parameters);
  const uint64_t segment = segment_bytes(request.bytes, parameters[2], request.element_bytes);
  const Rank members = topology.largest_node_size();
  const auto inside = [&](const Algorithm& algorithm, Collective collective) {
    return level_cost(algorithm, FlatBuilder::Level::intra,
                      level_request(request, collective, members, 0, segment));
  };
  return two_level_bound(
      {inside(levels.reduce, Collective::reduce),
       level_cost(levels.inter, FlatBuilder::Level::inter,
                  level_request(request, Collective::allreduce, topology.node_count(), 0, segment)),
       inside(levels.bcast, Collective::bcast)},
      segment_count(request.bytes, segment));
}

}  // namespace

extern const Algorithm allreduce_hierarchical = {
    .name = "hierarchical",
    .summary =
        "two levels: reduce inside nodes, a flat allreduce between them, broadcast inside, per segment",
    .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::allreduce,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
