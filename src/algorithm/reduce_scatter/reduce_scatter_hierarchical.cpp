// Two-level pipelined reduce_scatter (DESIGN §2, after paper 000 §2.3): every segment is reduced inside each node to
// its leader, the leaders reduce-scatter node blocks, and each leader sends its members their parts.
//
//   members ─► leader      reduce inside the node               segment s+1
//   leader ◄═► leaders     reduce_scatter of node blocks        segment s
//   leader ─► members      their own parts                      segment s-1
//
// A segment is the same range of every node's block. With the ring between nodes every link carries (N-1)/N·n bytes,
// which is the minimum.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/node_order.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"ring", "recursive_halving", "pairwise"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(32 << 10, "bytes of a node's blocks that travel together")};

const Algorithm& inter_algorithm(const ParameterSet& parameters) {
  return *chosen(Collective::reduce_scatter, k_parameters[0], parameters[0]);
}

const Algorithm& intra_algorithm() {
  return *find(Collective::reduce, "knomial");
}

/// The reduce_scatter of one segment between the leaders.
struct Exchange {
  std::vector<uint64_t> sizes;  // by node
  Request request;

  Exchange(const Request& whole, const NodeOrder& order, int32_t node_count, uint64_t from, uint64_t segment)
      : request(level_request(whole, Collective::reduce_scatter, node_count, 0, 0)) {
    for (int32_t node = 0; node < node_count; ++node) {
      sizes.push_back(order.range_bytes(node, from, segment));
      request.bytes += sizes.back();
    }
    request.blocks = {.sizes = sizes};
  }
};

/// Builds the schedule of one rank.
class Builder {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : request_(request),
        me_(me),
        inter_(inter_algorithm(parameters)),
        two_(topology, me),
        order_(topology, request.blocks),
        flat_(Topology::flat(two_.node_count())),
        segment_(segment_bytes(order_.largest_node_bytes(), parameters[1], request.element_bytes)),
        reduce_(&intra_algorithm(), Level::intra, two_.member_count(), two_.my_local_index()),
        inside_(
            level_request(request, Collective::reduce, two_.member_count(), two_.leader_local_index(), 0)),
        sums_(builder_, two_.leads() ? segment_ * static_cast<uint64_t>(two_.node_count()) : 0, 0),
        results_(builder_, two_.leads() ? segment_ : 0, 0) {}

  base::Result<Schedule> build() {
    for (uint64_t from = 0, index = 0; from < order_.largest_node_bytes(); from += segment_, ++index)
      if (base::Status status = add_segment(from, index); !status) return status;
    if (!reduce_.status()) return reduce_.status();
    return std::move(builder_).finish();
  }

 private:
  base::Status add_segment(uint64_t from, uint64_t index) {
    const Exchange exchange(request_, order_, two_.node_count(), from, segment_);
    const TaskId reduced = reduce_inside(exchange, from, index);
    if (!two_.leads()) {
      receive(from);
      return {};
    }
    auto flat = inter_.build(exchange.request, two_.my_node(), flat_, default_parameters(inter_));
    if (!flat) return flat.status();
    const BufRef result = results_.scratch(index);
    const Nested exchanged =
        builder_.nest(*flat, {.input = sums_.scratch(index), .output = result, .peers = two_.leaders()},
                      {reduced, results_.free(index)});
    sums_.set_done(index, exchanged.done);
    results_.set_done(index, builder_.join({exchanged.done, distribute(result, from, exchanged.ready)}));
    return {};
  }

  /// Reduces the segment of every node block to the leader, packed by node.
  TaskId reduce_inside(const Exchange& exchange, uint64_t from, uint64_t index) {
    const BufRef operand = request_.operand();
    std::vector<TaskId> reduced;
    uint64_t packed = 0;
    for (int32_t node = 0; node < two_.node_count(); ++node) {
      for (const NodeOrder::Piece& piece : order_.pieces(node, from, segment_)) {
        const BufRef source = operand.part(piece.in_vector, piece.length);
        const BufRef sum =
            two_.leads() ? sums_.scratch(index).part(packed + piece.in_range, piece.length) : BufRef{};
        reduced.push_back(reduce_piece(source, sum, sums_.free(index)));
      }
      packed += exchange.sizes[static_cast<size_t>(node)];
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

  TaskId distribute(BufRef result, uint64_t from, TaskId ready) {
    std::vector<TaskId> given;
    for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_)) {
      const BufRef source = result.part(piece.in_range, piece.length);
      given.push_back(piece.rank == me_
                          ? builder_.copy(source, {Slot::output, piece.in_block, piece.length}, ready)
                          : builder_.send(Peer::local(piece.rank), source, ready));
    }
    return builder_.join(given);
  }

  void receive(uint64_t from) {
    for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_))
      if (piece.rank == me_) builder_.recv(two_.local_leader(), {Slot::output, piece.in_block, piece.length});
  }

  const Request& request_;
  const Rank me_;
  const Algorithm& inter_;
  const TwoLevel two_;
  const NodeOrder order_;
  const Topology flat_;
  const uint64_t segment_;
  FlatBuilder reduce_;
  const Request inside_;
  ScheduleBuilder builder_;
  SegmentRing sums_, results_;
};

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  if (!has_two_levels(request, topology, parameters, why_not) ||
      !nodes_may_combine(request, topology, parameters, why_not))
    return false;
  const uint64_t largest = NodeOrder(topology, request.blocks).largest_node_bytes();
  const uint64_t segment = segment_bytes(largest, parameters[1], request.element_bytes);
  const auto level = [&](Collective collective, Rank ranks) {
    return level_request(request, collective, ranks, 0, segment);
  };
  return segments_fit(largest, segment, why_not) &&
         level_applies(&intra_algorithm(), Level::intra,
                       level(Collective::reduce, topology.largest_node_size()), why_not) &&
         level_applies(&inter_algorithm(parameters), Level::inter,
                       level(Collective::reduce_scatter, topology.node_count()), why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  return Builder(request, me, topology, parameters).build();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const uint64_t largest = NodeOrder(topology, request.blocks).largest_node_bytes();
  const uint64_t segment = segment_bytes(largest, parameters[1], request.element_bytes);
  const auto nodes = static_cast<uint64_t>(topology.node_count());
  const Cost inside =
      level_cost(&intra_algorithm(), Level::intra,
                 level_request(request, Collective::reduce, topology.largest_node_size(), 0, segment));
  // The flat exchange sends at most the whole segment of every other node; then each member receives its part.
  return two_level_bound({{.rounds = inside.rounds, .busiest_bytes = inside.busiest_bytes * nodes},
                          {.rounds = nodes - 1, .busiest_bytes = segment * nodes},
                          {.rounds = 1, .busiest_bytes = segment}},
                         segment_count(largest, segment));
}

constexpr Algorithm row(Collective collective) {
  return {
      .name = "hierarchical",
      .summary =
          "two levels: reduce inside nodes, reduce-scatter node blocks between them, hand out, per segment",
      .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
      .collective = collective,
      .parameters = k_parameters,
      .applies = applies,
      .build = build,
      .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_hierarchical = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_hierarchical = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
