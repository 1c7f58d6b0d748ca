// Alltoall(v,w) in the order in which the program accesses the data (paper 002, section 5.2), for early return. The
// edges of every receive buffer travel first, then block after block, each complete before the next. If the program
// accesses parts of several blocks alternately, the first parts of all blocks travel before the next parts. The ranks
// of a node may send to other nodes in turn.
//
//   rank 0 to all others: head of its block;  rank p-1: tail of its block;  neighbours: edge beside the own block; then
//   step    1       2       3          p = 4
//   0       ─► 1    ─► 2    ─► 3       each in segments
//
// In step s rank i sends to i+s and receives from i-s. Rounds: at most the segments of all steps and the two edges;
// busiest rank (p-1)·n bytes (v, w: the maximum over ranks of the bytes sent to others).

#include <algorithm>

#include "algorithm/alltoall/exchange.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/edges.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {
    {.name = "steps",
     .summary = "segments under way at a time",
     .default_value = 4,
     .min = 1,
     .max = 1 << 20},
    segment_parameter(16 << 10, "bytes of a block that travel together"),
    k_direction_parameter,
    k_stride_parameter,
    {.name = "turns",
     .summary = "1: a node's ranks send to other nodes one after the other, whose data is wanted first",
     .default_value = 0,
     .min = 0,
     .max = 1},
};

class Exchange {
 public:
  Exchange(ScheduleBuilder& builder, const Request& request, Rank me, const Topology& topology,
           const ParameterSet& parameters)
      : builder_(builder),
        topology_(topology),
        me_(me),
        rank_count_(request.rank_count),
        steps_(parameters[0]),
        segment_(parameters[1]),
        order_(parameters, 2, request.rank_count),
        has_turns_(parameters[4] != 0),
        inside_(steps_, k_max_pieces * static_cast<uint64_t>(request.rank_count)),
        between_(steps_, k_max_pieces * static_cast<uint64_t>(request.rank_count)),
        outgoing_(request.blocks, request.rank_count, Slot::input),
        incoming_(request.receive_blocks, request.rank_count, Slot::output) {}

  void add() {
    builder_.set_priority(0);
    for (Rank s = 1; s < rank_count_; ++s) add_edges(after(s), before(s));
    builder_.set_priority(1);
    builder_.copy(outgoing_.block(me_), incoming_.block(me_));
    add_bodies();
  }

 private:
  Rank after(Rank s) const { return (me_ + s) % rank_count_; }
  Rank before(Rank s) const { return (me_ - s + rank_count_) % rank_count_; }

  /// Edges of the block from one rank to another. The blocks next to the receiver's own block have edges, too: the own
  /// block is available at once, but shares its first and last pages with its neighbours.
  EdgesFirst parts(BufRef block, Rank from, Rank to) const {
    return {block, from == 0 || from == to + 1, from == rank_count_ - 1 || from == to - 1};
  }

  void add_edges(Rank to, Rank from) {
    const EdgesFirst in = parts(incoming_.block(from), from, me_), out = parts(outgoing_.block(to), me_, to);
    for (const BufRef& edge : {in.head, in.tail})
      if (!edge.empty()) builder_.recv(Peer::rank(from), edge);
    for (const BufRef& edge : {out.head, out.tail})
      if (!edge.empty()) builder_.send(Peer::rank(to), edge);
  }

  template <class Visit>
  void for_each_piece(BufRef body, const PartsInAccessOrder::Run& run, Visit visit) const {
    order_.for_each_segment(run, body, piece_bytes(body.length, segment_), visit);
  }

  /// Adds the runs in the same order on all ranks, so that the messages between two ranks have the same order on both
  /// sides.
  void add_bodies() {
    constexpr Rank k_nobody = -1;
    Rank has_network = k_nobody;
    for (const PartsInAccessOrder::Run& run : order_.runs()) {
      if (has_turns_ && is_neighbour(run.block)) {
        if (has_network != k_nobody && has_network != run.block) pass_turn(has_network, run.block);
        has_network = run.block;
      }
      if (run.block != me_) receive_body(run.block, run);
      for (Rank s = 1; run.block == me_ && s < rank_count_; ++s) send_body(after(s), run);
    }
  }

  /// Receives have no order among senders: the senders enforce it.
  void receive_body(Rank from, const PartsInAccessOrder::Run& run) {
    for_each_piece(parts(incoming_.block(from), from, me_).body, run,
                   [&](BufRef piece) { builder_.recv(Peer::rank(from), piece); });
  }

  bool is_neighbour(Rank rank) const { return topology_.node_of(rank) == topology_.node_of(me_); }

  /// Passes the exclusive use of the node's network to the next rank (paper 002, section 5.2.2).
  void pass_turn(Rank from, Rank to) {
    if (from == me_) builder_.notify(Peer::rank(to), sent_in_turn_);
    if (to == me_) sent_in_turn_ = {turn_ = builder_.await(Peer::rank(from))};
  }

  void send_body(Rank to, const PartsInAccessOrder::Run& run) {
    const bool is_inside = is_neighbour(to);
    InFlightLimit& limit = is_inside ? inside_ : between_;
    uint64_t& step = is_inside ? inside_step_ : between_step_;
    for_each_piece(parts(outgoing_.block(to), me_, to).body, run, [&](BufRef piece) {
      const TaskId before = limit.before(step);
      const TaskId sent = builder_.send(Peer::rank(to), piece, {before, is_inside ? k_no_task : turn_});
      limit.set_last(step++, sent);
      if (!is_inside) sent_in_turn_.push_back(sent);
    });
  }

  ScheduleBuilder& builder_;
  const Topology& topology_;
  Rank me_, rank_count_;
  uint64_t steps_, segment_;
  PartsInAccessOrder order_;
  bool has_turns_;
  InFlightLimit inside_, between_;  // inside and between nodes
  uint64_t inside_step_ = 0, between_step_ = 0;
  TaskId turn_ = k_no_task;           // the task after which this rank may use the network
  std::vector<TaskId> sent_in_turn_;  // what it sends during its turn
  BlockLayout outgoing_, incoming_;
};

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  ScheduleBuilder builder;
  Exchange(builder, request, me, topology, parameters).add();
  return std::move(builder).finish();
}

/// Chain of dependent messages: a rank's own, or those of all ranks of a node and two for each turn.
uint64_t rounds_of(uint64_t own_rounds, const Topology& topology, const PartsInAccessOrder& order,
                   bool has_turns) {
  if (!has_turns) return own_rounds;
  return own_rounds * static_cast<uint64_t>(topology.largest_node_size()) + 2 * order.runs().size();
}

/// An upper bound: the edges wait for no other message, and blocks of two ranks differ in their edges.
Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  const auto steps = static_cast<uint64_t>(request.rank_count - 1);
  const Cost own = exchange_cost(request, steps, exchange_limits(parameters));
  const PartsInAccessOrder order(parameters, 2, request.rank_count);
  const uint64_t own_rounds = own.rounds == 0 ? 0 : std::max<uint64_t>(own.rounds, 2);
  return {.rounds = rounds_of(own_rounds, topology, order, parameters[4] != 0),
          .busiest_bytes = own.busiest_bytes,
          .is_upper_bound = true};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "ordered",
          .summary = "the edges of buffers, then block after block: for calls that return early",
          .source = "Li, Sun, Huo, Ma: T-NBC, section 5.2",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies_always,
          .build = build,
          .cost = cost,
          .is_for_early_return = true};
}

}  // namespace

extern const Algorithm alltoall_ordered = row(Collective::alltoall);
extern const Algorithm alltoallv_ordered = row(Collective::alltoallv);
extern const Algorithm alltoallw_ordered = row(Collective::alltoallw);

}  // namespace tutti::algorithm
