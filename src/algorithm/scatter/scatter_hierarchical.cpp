// Two-level pipelined scatter(v) (DESIGN §2, after paper 000 §2.3): the root, which leads its node, sends a
// range of every node's blocks to the node's leader, which hands it out while the next range travels.
//
//   root ═► leaders       scatterv of node ranges          segment s+1
//   leader ─► members     their own blocks                 segment s
//
// The root's link carries every remote block once: the least possible. The root sends from the final place
// where the blocks of a node follow each other there, and through scratch memory where they do not.

#include "algorithm/node_exchange.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"linear", "binomial"};

constexpr Parameter k_parameters[] = {
    {.name = "inter",
     .summary = "algorithm between nodes",
     .unit = Parameter::Unit::choice,
     .max = 1,
     .choices = k_inter},
    {.name = "segment",
     .summary = "bytes of a node's blocks that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 64 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

const Algorithm& inter_algorithm(const ParameterSet& parameters) {
  return chosen(Collective::scatterv, k_parameters[0], parameters[0]);
}

/// Writes the schedule of one rank.
class Builder {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : request_(request),
        me_(me),
        inter_(inter_algorithm(parameters)),
        two_(topology, me, request.root),
        order_(topology, request.blocks),
        segment_(segment_bytes(order_.largest_node_bytes(), parameters[1])),
        flat_(Topology::flat(two_.node_count())),
        memory_(builder_, memory_bytes(), 0) {}

  base::Result<Schedule> build() {
    if (is_root() || two_.my_node() != two_.root_node())
      for (uint64_t from = 0, index = 0; from < order_.largest_node_bytes(); from += segment_, ++index)
        if (base::Status status = add_segment(from, index); !status) return status;
    // Last, so that the network starts first.
    if (two_.my_node() == two_.root_node()) scatter_own_node();
    return std::move(builder_).finish();
  }

 private:
  bool is_root() const { return me_ == request_.root; }
  bool leaves_in_place() const { return is_root() && order_.is_contiguous(); }

  uint64_t memory_bytes() const {
    if (!two_.leads() || leaves_in_place()) return 0;
    return is_root() ? segment_ * static_cast<uint64_t>(two_.node_count()) : segment_;
  }

  /// The root's own node needs no leader in between.
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

  base::Status add_segment(uint64_t from, uint64_t index) {
    const NodeExchange exchange(request_, Collective::scatterv, order_, two_, from, segment_,
                                leaves_in_place());
    if (!two_.leads()) {
      for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_))
        if (piece.rank == me_)
          builder_.recv(two_.local_leader(), {Slot::output, piece.in_block, piece.length});
      return {};
    }
    auto flat = inter_.build(exchange.request, two_.my_node(), flat_, default_parameters(inter_));
    if (!flat) return flat.status();
    const BufRef memory = memory_.scratch(index);
    const TaskId free = memory_.free(index);
    if (is_root()) {
      const BufRef source = leaves_in_place() ? BufRef{Slot::input, 0, UINT64_MAX} : memory;
      const Nested sent = builder_.nest(*flat, {.input = source, .peers = two_.leaders()},
                                        pack(exchange, memory, from, free));
      memory_.set_done(index, sent.done);
    } else {
      const Nested arrived = builder_.nest(*flat, {.output = memory, .peers = two_.leaders()}, free);
      memory_.set_done(index, builder_.join({arrived.done, hand_out(memory, from, arrived.ready)}));
    }
    return {};
  }

  TaskId pack(const NodeExchange& exchange, BufRef memory, uint64_t from, TaskId free) {
    if (leaves_in_place()) return free;
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

  TaskId hand_out(BufRef memory, uint64_t from, TaskId ready) {
    std::vector<TaskId> given;
    for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_)) {
      const BufRef source = memory.part(piece.in_range, piece.length);
      given.push_back(piece.rank == me_
                          ? builder_.copy(source, {Slot::output, piece.in_block, piece.length}, ready)
                          : builder_.send(Peer::local(piece.rank), source, ready));
    }
    return builder_.join(given);
  }

  const Request& request_;
  const Rank me_;
  const Algorithm& inter_;
  const TwoLevel two_;
  const NodeOrder order_;
  const uint64_t segment_;
  const Topology flat_;
  ScheduleBuilder builder_;
  SegmentRing memory_;
};

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  return rooted_two_level_applies(inter_algorithm(parameters), request, topology, parameters[1], why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  return Builder(request, me, topology, parameters).build();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  return rooted_two_level_bound(request, topology, parameters[1]);
}

constexpr Algorithm row(Collective collective) {
  return {.name = "hierarchical",
          .summary = "two levels: the root sends node ranges to leaders, which hand them out, per segment",
          .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm scatter_hierarchical, scatterv_hierarchical;
const Algorithm scatter_hierarchical = row(Collective::scatter);
const Algorithm scatterv_hierarchical = row(Collective::scatterv);

}  // namespace tutti::algorithm
