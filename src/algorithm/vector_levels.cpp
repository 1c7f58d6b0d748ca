#include "algorithm/vector_levels.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "algorithm/segments.hpp"

namespace tutti::algorithm {

namespace {

uint64_t segment_of(const VectorLevels& levels, const Request& request) {
  return segment_bytes(request.bytes, levels.segment_bytes, request.element_bytes);
}

/// A level with its request for one segment.
struct LevelCall {
  LevelAlgorithm algorithm;
  Request request;
};

/// The levels of the largest node, in order.
std::array<LevelCall, 3> levels_of_largest_node(const VectorLevels& levels, const Request& request,
                                                const Topology& topology, uint64_t segment) {
  const Rank members = topology.largest_node_size();
  const Rank root_node = is_rooted(request.collective) ? topology.node_of(request.root) : 0;
  return {{{LevelAlgorithm::inside_node(levels.collect, members),
            level_request(request, Collective::reduce, members, 0, segment)},
           {LevelAlgorithm::between_nodes(levels.between, topology),
            level_request(request, request.collective, topology.node_count(), root_node, segment)},
           {LevelAlgorithm::inside_node(levels.hand_out, members),
            level_request(request, Collective::bcast, members, 0, segment)}}};
}

/// One rank's schedules for the segments of one lane.
struct Lane {
  Lane(const VectorLevels& levels, const Request& request, Rank me, const Topology& topology, uint64_t lane)
      : two(topology, me, is_rooted(request.collective) ? request.root : -1, lane),
        collect(LevelAlgorithm::inside_node(levels.collect, two.member_count()), two.my_local_index()),
        between(LevelAlgorithm::between_nodes(levels.between, topology), two.my_node()),
        hand_out(LevelAlgorithm::inside_node(levels.hand_out, two.member_count()), two.my_local_index()),
        sums_up(levels.collect != nullptr && two.member_count() > 1),
        inside(level_request(request, Collective::reduce, two.member_count(), two.leader_local_index(), 0)),
        among(level_request(request, request.collective, two.node_count(), two.root_node(), 0)),
        after(level_request(request, Collective::bcast, two.member_count(), two.leader_local_index(), 0)) {
    among.in_place = !sums_up && request.in_place;
  }

  TwoLevel two;
  LevelBuilder collect, between, hand_out;
  /// Without a sum of several operands the operand is the input of the level between nodes.
  bool sums_up;
  Request inside, among, after;
};

/// Memory that the segments of all lanes use in turn.
struct Rings {
  Rings(ScheduleBuilder& builder, std::vector<Lane>& lanes, uint64_t segment)
      : sums(builder, lanes[0].sums_up ? segment : 0, 0),
        collect(
            builder,
            most(lanes, [&](Lane& l) { return l.collect.get(l.inside.with_bytes(segment)).scratch_bytes(); }),
            0),
        between(
            builder,
            most(lanes, [&](Lane& l) { return l.between.get(l.among.with_bytes(segment)).scratch_bytes(); }),
            0) {
    // Only the leader of a lane knows when its node memory has been read, so that lanes do not share it.
    for (Lane& lane : lanes)
      hand_out.emplace_back(builder, 0, lane.hand_out.get(lane.after.with_bytes(segment)).node_bytes());
  }

  template <class Bytes>
  static uint64_t most(std::vector<Lane>& lanes, Bytes bytes) {
    uint64_t largest = 0;
    for (Lane& lane : lanes) largest = std::max(largest, bytes(lane));
    return largest;
  }

  SegmentRing sums, collect, between;
  std::vector<SegmentRing> hand_out;  // by lane
};

void add_segment(ScheduleBuilder& builder, Lane& lane, Rings& rings, uint64_t index, BufRef operand,
                 BufRef result) {
  const uint64_t length = operand.length;
  const BufRef sum = lane.sums_up ? rings.sums.scratch(index).part(0, length) : operand;
  const Nested collected = builder.nest(
      lane.collect.get(lane.inside.with_bytes(length)),
      {.input = operand, .output = sum, .peers = lane.two.locals(), .scratch = rings.collect.scratch(index)},
      {rings.sums.free(index), rings.collect.free(index)});
  rings.collect.set_done(index, collected.done);
  Nested exchanged{collected.done, collected.done};
  if (lane.two.leads()) {
    exchanged = builder.nest(lane.between.get(lane.among.with_bytes(length)),
                             {.input = sum,
                              .output = result,
                              .peers = lane.two.leaders(),
                              .scratch = rings.between.scratch(index)},
                             {collected.done, rings.between.free(index)});
    rings.sums.set_done(index, exchanged.done);
    rings.between.set_done(index, exchanged.done);
  }
  SegmentRing& published = rings.hand_out[index % rings.hand_out.size()];
  const uint64_t turn = index / rings.hand_out.size();
  const Nested handed_out =
      builder.nest(lane.hand_out.get(lane.after.with_bytes(length)),
                   {.output = result, .peers = lane.two.locals(), .node = published.node(turn)},
                   {exchanged.ready, published.free(turn)});
  published.set_done(turn, handed_out.done);
}

/// MPI_IN_PLACE is significant at the root only.
Request own_request(Request request, Rank me) {
  request.in_place = request.in_place && (!is_rooted(request.collective) || me == request.root);
  return request;
}

}  // namespace

bool vector_levels_apply(const VectorLevels& levels, const RankInvariantRequest& request,
                         const Topology& topology, std::string* why_not) {
  const Request any_rank = request.representative();
  const uint64_t segment = segment_of(levels, any_rank);
  return has_two_levels(request, topology, {}, why_not) &&
         (levels.collect == nullptr || nodes_may_combine(request, topology, {}, why_not)) &&
         segments_fit(request.bytes, segment, why_not) &&
         std::ranges::all_of(
             levels_of_largest_node(levels, any_rank, topology, segment),
             [&](const LevelCall& level) { return level.algorithm.applies(level.request, why_not); });
}

BuildResult build_vector_levels(const VectorLevels& levels, const Request& request, Rank me,
                                const Topology& topology) {
  const Request own = own_request(request, me);
  std::vector<Lane> lanes;
  for (uint64_t lane = 0; lane < lanes_of(topology, levels.lanes); ++lane)
    lanes.emplace_back(levels, own, me, topology, lane);
  const uint64_t segment = segment_of(levels, request);
  ScheduleBuilder builder;
  Rings rings(builder, lanes, segment);
  for (uint64_t at = 0, index = 0; at < request.bytes; at += segment, ++index) {
    const uint64_t length = std::min(segment, request.bytes - at);
    add_segment(builder, lanes[index % lanes.size()], rings, index, own.operand().part(at, length),
                {Slot::output, at, length});
  }
  for (const Lane& lane : lanes)
    if (base::Status status = first_error({&lane.collect, &lane.between, &lane.hand_out}); !status)
      return status;
  return std::move(builder).finish();
}

Cost vector_levels_cost(const VectorLevels& levels, const Request& request, const Topology& topology) {
  if (request.bytes == 0) return {};
  const uint64_t segment = segment_of(levels, request);
  const auto level = levels_of_largest_node(levels, request, topology, segment);
  return two_level_bound(
      {level[0].algorithm.cost(level[0].request), level[1].algorithm.cost(level[1].request),
       level[2].algorithm.cost(level[2].request)},
      segment_count(request.bytes, segment));
}

}  // namespace tutti::algorithm
