// Two-level pipelined allgather (DESIGN §2, after paper 000 §2.3): the leader of a node gathers the blocks of its
// members, the leaders exchange node blocks, and each leader forwards every part to its members as soon as it has
// arrived.
//
//   members ─► leader       own blocks                       segment s+1
//   leader ◄═► leaders      allgatherv of node blocks        segment s
//   leader ─► members       blocks of other nodes            segment s-1
//
// Every link carries the blocks of the other nodes once, which is the minimum. If the ranks of a node are consecutive,
// data is received at its final offset; otherwise the leader unpacks it.

#include "algorithm/block_levels.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"ring", "recursive_doubling", "bruck", "neighbour_exchange"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(64 << 10, "bytes of a node's blocks that travel together"),
};

const Algorithm* inter_algorithm(const ParameterSet& parameters) {
  return chosen(Collective::allgatherv, k_parameters[0], parameters[0]);
}

/// Builds the schedule of one rank.
class Builder final : public BlockLevels {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : BlockLevels(inter_algorithm(parameters), request, me, topology, parameters[1]) {}

  BuildResult build() {
    const BufRef own_output{Slot::output, request_.blocks.offset(me_), request_.own_bytes};
    if (!request_.in_place) own_ready_ = builder_.copy({Slot::input, 0, request_.own_bytes}, own_output);
    if (two_.leads() && !order_.is_contiguous())
      staging_ = builder_.scratch(request_.blocks.total(request_.rank_count));
    const auto add = [this](uint64_t from, uint64_t) { return add_range(from); };
    if (base::Status status = for_each_range(add); !status) return status;
    return std::move(builder_).finish();
  }

 private:
  /// Buffer of node block range `node` in the leader's exchange.
  BufRef place(const NodeExchange& exchange, int32_t node) const {
    const auto n = static_cast<size_t>(node);
    return base_.part(exchange.offsets[n], exchange.sizes[n]);
  }

  base::Status add_range(uint64_t from) {
    const NodeExchange exchange(request_, Collective::allgatherv, order_, two_, from, segment_,
                                order_.is_contiguous());
    if (!two_.leads()) {
      contribute(from);
      for (int32_t node = 0; node < two_.node_count(); ++node) receive(node, from);
      return {};
    }
    base_ = order_.is_contiguous() ? BufRef{Slot::output, 0, UINT64_MAX} : staging_.part(staged_, UINT64_MAX);
    for (uint64_t size : exchange.sizes) staged_ += size;
    const TaskId collected = collect(exchange, from);
    const auto flat = between_leaders(exchange);
    if (!flat) return flat.status();
    const Nested exchanged = builder_.nest(*flat, {.output = base_, .peers = two_.leaders()}, collected);
    for (int32_t node = 0; node < two_.node_count(); ++node)
      distribute(exchange, node, from, node == two_.my_node() ? collected : exchanged.ready);
    return {};
  }

  /// Sends a member's part of this node's block to the leader.
  void contribute(uint64_t from) {
    for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_))
      if (piece.rank == me_)
        builder_.send(two_.local_leader(), {Slot::output, piece.in_vector, piece.length}, own_ready_);
  }

  /// Collects this node's block at its offset in the leader's exchange.
  TaskId collect(const NodeExchange& exchange, uint64_t from) {
    const BufRef node_block = place(exchange, two_.my_node());
    std::vector<TaskId> collected;
    for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_)) {
      const BufRef target = node_block.part(piece.in_range, piece.length);
      if (piece.rank == me_)
        collected.push_back(builder_.copy({Slot::output, piece.in_vector, piece.length}, target, own_ready_));
      else
        collected.push_back(builder_.recv(Peer::local(piece.rank), target));
    }
    return builder_.join(collected);
  }

  /// The leader sends a range of node block `node` to its members, and unpacks it for itself.
  void distribute(const NodeExchange& exchange, int32_t node, uint64_t from, TaskId ready) {
    const BufRef range = place(exchange, node);
    for (const NodeOrder::Piece& piece : messages(node, from)) {
      const BufRef source = range.part(piece.in_range, piece.length);
      // If the data was received at its final offset, source and target are equal and the copy is dropped.
      if (piece.rank != me_) builder_.copy(source, {Slot::output, piece.in_vector, piece.length}, ready);
      for (Rank member : two_.members())
        if (member != me_ && !is_own(piece, node, member)) builder_.send(Peer::local(member), source, ready);
    }
  }

  void receive(int32_t node, uint64_t from) {
    for (const NodeOrder::Piece& piece : messages(node, from))
      if (!is_own(piece, node, me_))
        builder_.recv(two_.local_leader(), {Slot::output, piece.in_vector, piece.length});
  }

  /// The messages that carry a range of node block `node` to a member: one if the range is contiguous on every rank and
  /// comes from another node, otherwise one per rank.
  std::vector<NodeOrder::Piece> messages(int32_t node, uint64_t from) const {
    std::vector<NodeOrder::Piece> pieces = order_.pieces(node, from, segment_);
    if (!order_.is_contiguous_everywhere() || node == two_.my_node() || pieces.empty()) return pieces;
    NodeOrder::Piece whole = pieces.front();
    whole.length = order_.range_bytes(node, from, segment_);
    return {whole};
  }

  bool is_own(const NodeOrder::Piece& piece, int32_t node, Rank rank) const {
    return node == two_.my_node() && piece.rank == rank;
  }

  TaskId own_ready_ = k_no_task;
  BufRef staging_, base_;
  uint64_t staged_ = 0;  // bytes of the staging memory in use
};

bool levels_apply(const RankInvariantRequest& request, const Topology& topology,
                  const ParameterSet& parameters, std::string* why_not) {
  return block_levels_apply(inter_algorithm(parameters), Collective::allgatherv, request, topology,
                            parameters[1], why_not);
}

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  return Builder(request, me, topology, parameters).build();
}

/// No link between nodes carries a block twice; inside a node the leader sends all blocks to every member.
Cost cost(const Request& request, const Topology& topology, const ParameterSet&) {
  const uint64_t all = request.blocks.total(request.rank_count);
  const auto nodes = static_cast<uint64_t>(topology.node_count());
  const auto members = static_cast<uint64_t>(topology.largest_node_size());
  return {.rounds = all == 0 ? 0 : 1 + (nodes - 1) + 1,
          .busiest_bytes = all * (nodes - 1) + all * members,
          .is_upper_bound = true};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "hierarchical",
          .summary = "two levels: gather inside nodes, exchange node blocks, hand on inside, per segment",
          .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies_if<has_two_levels, levels_apply>,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm allgather_hierarchical = row(Collective::allgather);
extern const Algorithm allgatherv_hierarchical = row(Collective::allgatherv);

}  // namespace tutti::algorithm
