// Two-level pipelined reduce_scatter (DESIGN §2, after paper 000 §2.3): every segment is reduced inside each node to
// its leader, the leaders reduce-scatter node blocks, and each leader sends its members their parts.
//
//   members ─► leader      reduce inside the node               segment s+1
//   leader ◄═► leaders     reduce_scatter of node blocks        segment s
//   leader ─► members      their own parts                      segment s-1
//
// A segment is the same range of every node's block. With the ring between nodes every link carries (N-1)/N·n bytes,
// which is the minimum.

#include "algorithm/block_levels.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"ring", "recursive_halving", "pairwise"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(32 << 10, "bytes of a node's blocks that travel together"),
};

const Algorithm* inter_algorithm(const ParameterSet& parameters) {
  return chosen(Collective::reduce_scatter, k_parameters[0], parameters[0]);
}

LevelAlgorithm intra_algorithm(Rank members) {
  return LevelAlgorithm::inside_node(find(Collective::reduce, "knomial"), members);
}

/// Builds the schedule of one rank.
class Builder final : public BlockLevels {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : BlockLevels(inter_algorithm(parameters), request, me, topology, parameters[1]),
        reduce_(intra_algorithm(two_.member_count()), two_.my_local_index()),
        inside_(
            level_request(request, Collective::reduce, two_.member_count(), two_.leader_local_index(), 0)),
        sums_(builder_, two_.leads() ? segment_ * static_cast<uint64_t>(two_.node_count()) : 0, 0),
        results_(builder_, two_.leads() ? segment_ : 0, 0) {}

  BuildResult build() {
    const auto add = [this](uint64_t from, uint64_t index) { return add_range(from, index); };
    if (base::Status status = for_each_range(add); !status) return status;
    if (!reduce_.status()) return reduce_.status();
    return std::move(builder_).finish();
  }

 private:
  base::Status add_range(uint64_t from, uint64_t index) {
    const NodeExchange exchange(request_, Collective::reduce_scatter, order_, two_, from, segment_, false);
    const TaskId reduced = reduce_inside(exchange, from, index);
    if (!two_.leads()) {
      take(from);
      return {};
    }
    const auto flat = between_leaders(exchange);
    if (!flat) return flat.status();
    const BufRef result = results_.scratch(index);
    const Nested exchanged =
        builder_.nest(*flat, {.input = sums_.scratch(index), .output = result, .peers = two_.leaders()},
                      {reduced, results_.free(index)});
    sums_.set_done(index, exchanged.done);
    results_.set_done(index, builder_.join({exchanged.done, hand_out(result, from, exchanged.ready)}));
    return {};
  }

  /// Reduces the range of every node block to the leader, packed by node.
  TaskId reduce_inside(const NodeExchange& exchange, uint64_t from, uint64_t index) {
    const BufRef operand = request_.operand();
    std::vector<TaskId> reduced;
    for (int32_t node = 0; node < two_.node_count(); ++node) {
      const uint64_t packed = exchange.offsets[static_cast<size_t>(node)];
      for (const NodeOrder::Piece& piece : order_.pieces(node, from, segment_)) {
        const BufRef source = operand.part(piece.in_vector, piece.length);
        const BufRef sum =
            two_.leads() ? sums_.scratch(index).part(packed + piece.in_range, piece.length) : BufRef{};
        reduced.push_back(reduce_piece(source, sum, sums_.free(index)));
      }
    }
    return builder_.join(reduced);
  }

  TaskId reduce_piece(BufRef source, BufRef sum, TaskId after) {
    if (two_.member_count() == 1) return builder_.copy(source, sum, after);
    return builder_
        .nest(reduce_.get(inside_.with_bytes(source.length)),
              {.input = source, .output = sum, .peers = two_.locals()}, after)
        .done;
  }

  LevelBuilder reduce_;
  const Request inside_;
  SegmentRing sums_, results_;
};

/// The reduction of one range of a node block inside the largest node.
Request reduce_request(const Request& request, const Topology& topology, uint64_t segment) {
  return level_request(request, Collective::reduce, topology.largest_node_size(), 0, segment);
}

bool levels_apply(const RankInvariantRequest& request, const Topology& topology,
                  const ParameterSet& parameters, std::string* why_not) {
  const Request any_rank = request.representative();
  const uint64_t segment = NodeRanges(NodeOrder(topology, request.blocks), any_rank, parameters[1]).bytes;
  return intra_algorithm(topology.largest_node_size())
             .applies(reduce_request(any_rank, topology, segment), why_not) &&
         block_levels_apply(inter_algorithm(parameters), Collective::reduce_scatter, request, topology,
                            parameters[1], why_not);
}

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  return Builder(request, me, topology, parameters).build();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const NodeRanges ranges(NodeOrder(topology, request.blocks), request, parameters[1]);
  const auto nodes = static_cast<uint64_t>(topology.node_count());
  const Cost inside =
      intra_algorithm(topology.largest_node_size()).cost(reduce_request(request, topology, ranges.bytes));
  // The flat exchange sends at most the whole segment of every other node; then each member receives its part.
  return two_level_bound({{.rounds = inside.rounds, .busiest_bytes = inside.busiest_bytes * nodes},
                          {.rounds = nodes - 1, .busiest_bytes = ranges.bytes * nodes},
                          {.rounds = 1, .busiest_bytes = ranges.bytes}},
                         ranges.count);
}

constexpr Algorithm row(Collective collective) {
  return {
      .name = "hierarchical",
      .summary =
          "two levels: reduce inside nodes, reduce-scatter node blocks between them, hand out, per segment",
      .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
      .collective = collective,
      .parameters = k_parameters,
      .applies = applies_if<has_two_levels, nodes_may_combine, levels_apply>,
      .build = build,
      .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_hierarchical = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_hierarchical = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
