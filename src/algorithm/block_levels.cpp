#include "algorithm/block_levels.hpp"

namespace tutti::algorithm {

NodeExchange::NodeExchange(const Request& whole, Collective collective, const NodeOrder& order,
                           const TwoLevel& two, uint64_t from, uint64_t segment, bool in_vector)
    : request(level_request(whole, collective, two.node_count(), is_rooted(collective) ? two.root_node() : 0,
                            0)) {
  for (int32_t node = 0; node < two.node_count(); ++node) {
    const bool takes_part = !is_rooted(collective) || node != two.root_node();
    sizes.push_back(takes_part ? order.range_bytes(node, from, segment) : 0);
    offsets.push_back(in_vector ? order.node_offset(node) + from : request.bytes);
    request.bytes += sizes.back();
  }
  // This node's range is already at its offset (allgather) or does not exist (the root of gather and scatter).
  request.in_place =
      !is_reduction(collective) && (!is_rooted(collective) || two.my_node() == two.root_node());
  request.own_bytes = sizes[static_cast<size_t>(two.my_node())];
  request.blocks = {.sizes = sizes, .offsets = offsets};
}

bool block_levels_apply(const Algorithm* inter, Collective collective, const RankInvariantRequest& request,
                        const Topology& topology, uint64_t wanted_segment, std::string* why_not) {
  const Request any_rank = request.representative();
  const NodeOrder order(topology, request.blocks);
  const uint64_t segment = NodeRanges(order, any_rank, wanted_segment).bytes;
  return segments_fit(order.largest_node_bytes(), segment, why_not) &&
         LevelAlgorithm::between_nodes(inter, topology)
             .applies(level_request(any_rank, collective, topology.node_count(), 0, segment), why_not);
}

BlockLevels::BlockLevels(const Algorithm* inter, const Request& request, Rank me, const Topology& topology,
                         uint64_t wanted_segment, Rank root)
    : request_(request),
      me_(me),
      inter_(LevelAlgorithm::between_nodes(inter, topology)),
      two_(topology, me, root),
      order_(topology, request.blocks),
      segment_(NodeRanges(order_, request, wanted_segment).bytes) {}

BuildResult BlockLevels::between_leaders(const NodeExchange& exchange) {
  return inter_.build(exchange.request, two_.my_node());
}

TaskId BlockLevels::hand_out(BufRef range, uint64_t from, TaskId ready) {
  std::vector<TaskId> given;
  for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_)) {
    const BufRef source = range.part(piece.in_range, piece.length);
    given.push_back(piece.rank == me_
                        ? builder_.copy(source, {Slot::output, piece.in_block, piece.length}, ready)
                        : builder_.send(Peer::local(piece.rank), source, ready));
  }
  return builder_.join(given);
}

void BlockLevels::take(uint64_t from) {
  for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_))
    if (piece.rank == me_) builder_.recv(two_.local_leader(), {Slot::output, piece.in_block, piece.length});
}

}  // namespace tutti::algorithm
