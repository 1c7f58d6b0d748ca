// Two-level pipelined gather(v) (DESIGN §2, after paper 000 §2.3): every leader collects a range of its node's blocks
// and sends it to the root, which leads its node; at the same time it collects the next range.
//
//   members ─► leader     own blocks, range by range       segment s+1
//   leaders ═► root       gatherv of node ranges           segment s
//
// The root's link carries every remote block once, which is the minimum. The root receives at the final offset if the
// blocks of a node are contiguous there, otherwise through scratch memory.

#include "algorithm/rooted_two_level.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"linear", "binomial"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(64 << 10, "bytes of a node's blocks that travel together")};

const Algorithm& inter_algorithm(const ParameterSet& parameters) {
  return *chosen(Collective::gatherv, k_parameters[0], parameters[0]);
}

/// Builds the schedule of one rank.
class Builder final : public RootedTwoLevel {
 public:
  using RootedTwoLevel::RootedTwoLevel;

  base::Result<Schedule> build() {
    if (is_on_root_node()) gather_own_node();
    if (base::Status status = add_segments(); !status) return status;
    return std::move(builder_).finish();
  }

 private:
  /// The root's node needs no intermediate leader.
  void gather_own_node() {
    const BufRef own{Slot::input, 0, request_.own_bytes};
    if (!is_root()) {
      builder_.send(two_.local_leader(), own);
      return;
    }
    for (Rank member : two_.members()) {
      const BufRef place{Slot::output, request_.blocks.offset(member), request_.blocks.size(member)};
      if (member != me_)
        builder_.recv(Peer::local(member), place);
      else if (!request_.in_place)
        builder_.copy(own, place);
    }
  }

  base::Status add_segment(uint64_t from, uint64_t index) override {
    const NodeExchange exchange(request_, Collective::gatherv, order_, two_, from, segment_, uses_vector());
    if (!two_.leads()) {
      for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_))
        if (piece.rank == me_)
          builder_.send(two_.local_leader(), {Slot::input, piece.in_block, piece.length});
      return {};
    }
    auto flat = flat_schedule(exchange);
    if (!flat) return flat.status();
    const BufRef memory = memory_.scratch(index);
    const TaskId free = memory_.free(index);
    if (is_root()) {
      const BufRef landing = uses_vector() ? BufRef{Slot::output, 0, UINT64_MAX} : memory;
      const Nested arrived = builder_.nest(*flat, {.output = landing, .peers = two_.leaders()}, free);
      memory_.set_done(index, builder_.join({arrived.done, unpack(exchange, memory, from, arrived.ready)}));
    } else {
      const Nested sent =
          builder_.nest(*flat, {.input = memory, .peers = two_.leaders()}, collect(memory, from, free));
      memory_.set_done(index, sent.done);
    }
    return {};
  }

  TaskId collect(BufRef memory, uint64_t from, TaskId free) {
    std::vector<TaskId> collected;
    for (const NodeOrder::Piece& piece : order_.pieces(two_.my_node(), from, segment_)) {
      const BufRef target = memory.part(piece.in_range, piece.length);
      collected.push_back(piece.rank == me_
                              ? builder_.copy({Slot::input, piece.in_block, piece.length}, target, free)
                              : builder_.recv(Peer::local(piece.rank), target, free));
    }
    return builder_.join(collected);
  }

  TaskId unpack(const NodeExchange& exchange, BufRef landing, uint64_t from, TaskId ready) {
    if (uses_vector()) return k_no_task;
    std::vector<TaskId> unpacked;
    for_each_remote_piece(exchange, from, landing, [&](const NodeOrder::Piece& piece, BufRef place) {
      unpacked.push_back(builder_.copy(place, {Slot::output, piece.in_vector, piece.length}, ready));
    });
    return builder_.join(unpacked);
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
          .summary = "two levels: leaders collect their nodes' blocks and pass them to the root, per segment",
          .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm gather_hierarchical = row(Collective::gather);
extern const Algorithm gatherv_hierarchical = row(Collective::gatherv);

}  // namespace tutti::algorithm
