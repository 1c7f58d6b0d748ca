// Two-level pipelined gather(v) and scatter(v) (DESIGN §2, after paper 000 §2.3). In a scatter the root, which leads
// its node, sends a range of every node's blocks to the node's leader, which hands it out while the next range is in
// flight. A gather is the same with time reversed: the leader collects a range and sends it to the root.
//
//   scatter   root ═► leaders      scatterv of node ranges     segment s+1
//             leader ─► members    their own blocks            segment s
//
//   gather    members ─► leader    own blocks                  segment s+1
//             leaders ═► root      gatherv of node ranges      segment s
//
// The root's link carries every remote block once, which is the minimum. The root sends from and receives at the final
// offset if the blocks of a node are contiguous, and otherwise uses scratch memory. Rounds and bytes are upper bounds.

#include "algorithm/block_levels.hpp"
#include "schedule/transposed.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"linear", "binomial"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(64 << 10, "bytes of a node's blocks that travel together"),
};

Collective between_nodes(Collective collective) {
  return is_scatter(collective) ? Collective::scatterv : Collective::gatherv;
}

const Algorithm* inter_algorithm(Collective collective, const ParameterSet& parameters) {
  return chosen(between_nodes(collective), k_parameters[0], parameters[0]);
}

/// Builds the scatter of one rank, or the scatter that is the gather with time reversed: it begins with the last range.
class Builder final : public BlockLevels {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : BlockLevels(inter_algorithm(request.collective, parameters), request, me, topology, parameters[1],
                    request.root),
        memory_(builder_, memory_bytes(), 0) {}

  BuildResult build() {
    // The root's node needs no intermediate leader.
    if (!is_on_root_node() || is_root()) {
      const auto add = [this](uint64_t from, uint64_t index) { return add_range(from, index); };
      if (base::Status status = for_each_range(add, !scatters()); !status) return status;
    }
    if (is_on_root_node()) scatter_own_node();  // last, so that the network starts first
    return std::move(builder_).finish();
  }

 private:
  bool scatters() const { return is_scatter(request_.collective); }
  bool is_root() const { return me_ == request_.root; }
  bool is_on_root_node() const { return two_.my_node() == two_.root_node(); }
  /// At the root: node blocks are sent from their offsets in the vector, without a copy.
  bool uses_vector() const { return is_root() && order_.is_contiguous(); }
  /// The leader's memory is for one range, the root's for one range of every node.
  uint64_t memory_bytes() const {
    if (!two_.leads() || uses_vector()) return 0;
    return is_root() ? segment_ * static_cast<uint64_t>(two_.node_count()) : segment_;
  }

  void scatter_own_node() {
    const BufRef own{Slot::output, 0, request_.own_bytes};
    if (!is_root()) {
      builder_.recv(two_.local_leader(), own);
      return;
    }
    for (Rank member : two_.members()) {
      const BufRef place{Slot::input, request_.blocks.offset(member), request_.blocks.size(member)};
      if (member != me_)
        builder_.send(Peer::local(member), place);
      else if (!request_.in_place)
        builder_.copy(place, own);
    }
  }

  base::Status add_range(uint64_t from, uint64_t index) {
    if (!two_.leads()) {
      take(from);
      return {};
    }
    const NodeExchange exchange(request_, between_nodes(request_.collective), order_, two_, from, segment_,
                                uses_vector());
    const auto flat = scatter_between_leaders(exchange);
    if (!flat) return flat.status();
    const BufRef memory = memory_.scratch(index);
    const TaskId free = memory_.free(index);
    if (!is_root() && exchange.request.own_bytes == 0) {  // only forwards, without this node's memory
      builder_.nest(*flat, {.peers = two_.leaders()});
    } else if (is_root()) {
      const BufRef source = uses_vector() ? BufRef{Slot::input, 0, UINT64_MAX} : memory;
      const Nested sent = builder_.nest(*flat, {.input = source, .peers = two_.leaders()},
                                        pack(exchange, memory, from, free));
      memory_.set_done(index, sent.done);
    } else {
      const Nested arrived = builder_.nest(*flat, {.output = memory, .peers = two_.leaders()}, free);
      memory_.set_done(index, builder_.join({arrived.done, hand_out(memory, from, arrived.ready)}));
    }
    return {};
  }

  /// In a gather: the gatherv with time reversed, which the reversal of the whole restores.
  BuildResult scatter_between_leaders(const NodeExchange& exchange) {
    auto flat = between_leaders(exchange);
    if (scatters() || !flat) return flat;
    return schedule::transposed(*flat);
  }

  /// Collects the ranges of all other nodes.
  TaskId pack(const NodeExchange& exchange, BufRef memory, uint64_t from, TaskId free) {
    if (uses_vector()) return free;
    std::vector<TaskId> packed;
    for (int32_t node = 0; node < two_.node_count(); ++node) {
      if (node == two_.root_node()) continue;
      const uint64_t start = exchange.offsets[static_cast<size_t>(node)];
      for (const NodeOrder::Piece& piece : order_.pieces(node, from, segment_))
        packed.push_back(builder_.copy({Slot::input, piece.in_vector, piece.length},
                                       memory.part(start + piece.in_range, piece.length), free));
    }
    return builder_.join(packed);
  }

  SegmentRing memory_;
};

bool levels_apply(const RankInvariantRequest& request, const Topology& topology,
                  const ParameterSet& parameters, std::string* why_not) {
  return block_levels_apply(inter_algorithm(request.collective, parameters),
                            between_nodes(request.collective), request, topology, parameters[1], why_not);
}

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  auto scatter = Builder(request, me, topology, parameters).build();
  if (is_scatter(request.collective) || !scatter) return scatter;
  return schedule::transposed(*scatter);
}

/// A block is forwarded by a member, by a leader, and by at most log2 N other leaders; no rank sends more than all
/// blocks that take this path. Ranges wait for each other only if they share memory, which the bound covers by counting
/// every range.
Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  const uint64_t all = request.blocks.total(request.rank_count);
  if (all == 0) return {};
  const NodeRanges ranges(NodeOrder(topology, request.blocks), request, parameters[1]);
  return {.rounds = (2 + static_cast<uint64_t>(topology.node_count())) * ranges.count,
          .busiest_bytes = 2 * all,
          .is_upper_bound = true};
}

constexpr Algorithm row(Collective collective, std::string_view summary) {
  return {.name = "hierarchical",
          .summary = summary,
          .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies_if<has_two_levels, sizes_are_known, levels_apply>,
          .build = build,
          .cost = cost};
}

constexpr std::string_view k_gather =
    "two levels: leaders collect their nodes' blocks and pass them to the root, per segment";
constexpr std::string_view k_scatter =
    "two levels: the root sends node ranges to leaders, which hand them out, per segment";

}  // namespace

extern const Algorithm gather_hierarchical = row(Collective::gather, k_gather);
extern const Algorithm gatherv_hierarchical = row(Collective::gatherv, k_gather);
extern const Algorithm scatter_hierarchical = row(Collective::scatter, k_scatter);
extern const Algorithm scatterv_hierarchical = row(Collective::scatterv, k_scatter);

}  // namespace tutti::algorithm
