// Two-level pipelined scatter(v) (DESIGN §2, after paper 000 §2.3): the root, which leads its node, sends a range of
// every node's blocks to the node's leader, which distributes it while the next range is in flight.
//
//   root ═► leaders       scatterv of node ranges          segment s+1
//   leader ─► members     their own blocks                 segment s
//
// The root's link carries every remote block once, which is the minimum. The root sends directly if the blocks of a
// node are contiguous, otherwise through scratch memory.

#include "algorithm/rooted_two_level.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"linear", "binomial"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(64 << 10, "bytes of a node's blocks that travel together")};

const Algorithm& inter_algorithm(const ParameterSet& parameters) {
  return *chosen(Collective::scatterv, k_parameters[0], parameters[0]);
}

/// Builds the schedule of one rank.
class Builder final : public RootedTwoLevel {
 public:
  using RootedTwoLevel::RootedTwoLevel;

  base::Result<Schedule> build() {
    if (base::Status status = add_segments(); !status) return status;
    if (is_on_root_node()) scatter_own_node();  // last, so that the network starts first
    return std::move(builder_).finish();
  }

 private:
  /// The root's node needs no intermediate leader.
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

  base::Status add_segment(uint64_t from, uint64_t index) override {
    const NodeExchange exchange(request_, Collective::scatterv, order_, two_, from, segment_, uses_vector());
    if (!two_.leads()) {
      for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_))
        if (piece.rank == me_)
          builder_.recv(two_.local_leader(), {Slot::output, piece.in_block, piece.length});
      return {};
    }
    auto flat = flat_schedule(exchange);
    if (!flat) return flat.status();
    const BufRef memory = memory_.scratch(index);
    const TaskId free = memory_.free(index);
    if (is_root()) {
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

  TaskId pack(const NodeExchange& exchange, BufRef memory, uint64_t from, TaskId free) {
    if (uses_vector()) return free;
    std::vector<TaskId> packed;
    for_each_remote_piece(exchange, from, memory, [&](const NodeOrder::Piece& piece, BufRef place) {
      packed.push_back(builder_.copy({Slot::input, piece.in_vector, piece.length}, place, free));
    });
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
};

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  return RootedTwoLevel::applies(inter_algorithm(parameters), request, topology, parameters[1], why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  return Builder(inter_algorithm(parameters), request, me, topology, parameters[1]).build();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  return RootedTwoLevel::cost(request, topology, parameters[1]);
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

extern const Algorithm scatter_hierarchical = row(Collective::scatter);
extern const Algorithm scatterv_hierarchical = row(Collective::scatterv);

}  // namespace tutti::algorithm
