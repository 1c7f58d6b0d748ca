// Two-level pairwise reduce-scatter: the pairwise exchange (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §5) between nodes
// instead of ranks. For every block one rank of each node reduces its node's operands and sends the sum directly to the
// block's owner. The local index of the owner determines that rank, so that all ranks of a node share the work.
//
//   block of 2 (node 1, first)         node 0: 0 adds up  0, 1 ─┐
//                                      node 2: 4 adds up  4, 5 ─┴─► 2 adds them to  2, 3
//   block of 3 (node 1, second)        node 0: 1 adds up  0, 1 ─┐
//                                      node 2: 5 adds up  4, 5 ─┴─► 3 adds them to  2, 3
//
// Blocks travel in segments; the first ones are in flight while the next are reduced. No message between nodes waits
// for another one of the same segment, and every link carries (N-1)/N·n bytes, which is the minimum. With many ranks on
// many nodes the messages become short; the leaders' exchange of node blocks (hierarchical) needs fewer messages. The
// order of operands follows neither ranks nor nodes, so that operators must commute.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10, "bytes of a block that travel together")};

uint64_t largest_block_bytes(const Request& request) {
  return request.blocks.largest(request.rank_count);
}

uint64_t segment_of(const Request& request, const ParameterSet& parameters) {
  return segment_bytes(largest_block_bytes(request), parameters[0], request.element_bytes);
}

/// Builds the schedule of one rank.
class Builder {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : me_(me),
        my_node_(topology.node_of(me)),
        topology_(topology),
        offset_(packed_blocks(request)),
        largest_(largest_block_bytes(request)),
        segment_(segment_of(request, parameters)),
        sums_(builder_, is_alone() ? 0 : most_sums() * segment_, 0),
        inside_(builder_, members() > 2 ? segment_ : 0, 0),
        between_(builder_, segment_, 0) {}

  BuildResult build() {
    const int32_t nodes = topology_.node_count();
    for (from_ = 0; from_ < largest_; from_ += segment_) {
      // Sums for another node come first, so that the link is busy, then the sums of this node's blocks: received sums
      // are added to them, so that on many nodes receives would otherwise start late.
      serve((my_node_ + 1) % nodes);
      serve(my_node_);
      for (int32_t step = 2; step < nodes; ++step) serve((my_node_ + step) % nodes);
      for (int32_t step = 1; step < nodes; ++step) collect((my_node_ - step + nodes) % nodes);
    }
    return std::move(builder_).finish();
  }

 private:
  uint64_t members() const { return topology_.ranks_of(my_node_).size(); }
  bool is_alone() const { return members() == 1; }
  /// Maximum number of owners on one node whose blocks one rank of this node reduces.
  uint64_t most_sums() const {
    return segment_count(static_cast<uint64_t>(topology_.largest_node_size()), members());
  }
  /// The rank of `node` that reduces the block of `owner`; on the owner's node the owner itself.
  Rank adder(int32_t node, Rank owner) const {
    const auto ranks = topology_.ranks_of(node);
    return ranks[static_cast<size_t>(topology_.local_index(owner)) % ranks.size()];
  }
  uint64_t piece_bytes(Rank owner) const {
    const uint64_t block = offset_(owner + 1) - offset_(owner);
    return from_ < block ? std::min(segment_, block - from_) : 0;
  }
  BufRef operand(Rank owner) const { return {Slot::input, offset_(owner) + from_, piece_bytes(owner)}; }

  /// This node's contribution to the blocks of the ranks of `target`.
  void serve(int32_t target) {
    uint64_t place = 0;
    std::vector<TaskId> sent;
    for (const Rank owner : topology_.ranks_of(target)) {
      const BufRef own = operand(owner);
      const Rank adds = adder(my_node_, owner);
      if (own.empty()) continue;
      if (adds != me_) {
        builder_.send(Peer::local(adds), own);
      } else if (owner == me_) {
        result_ = {Slot::output, from_, own.length};
        result_ready_ = add_up(own, result_, k_no_task);
      } else if (is_alone()) {
        builder_.send(Peer::rank(owner), own);
      } else {
        const BufRef sum = sums_.scratch(unit_).part(place, own.length);
        sent.push_back(builder_.send(Peer::rank(owner), sum, add_up(own, sum, sums_.free(unit_))));
        place += segment_;
      }
    }
    if (!sent.empty()) sums_.set_done(unit_, builder_.join(sent));
    ++unit_;
  }

  /// Sets `sum` to the reduction of the operands of all ranks of this node.
  TaskId add_up(BufRef own, BufRef sum, TaskId free) {
    if (is_alone()) return builder_.copy(own, sum, free);
    TaskId ready = k_no_task;
    for (const Rank member : topology_.ranks_of(my_node_)) {
      if (member == me_) continue;
      if (ready == k_no_task)
        ready = builder_.reduce(own, sum, builder_.recv(Peer::local(member), sum, free));
      else
        ready = receive_and_add(Peer::local(member), inside_, inside_turn_++, sum, ready);
    }
    return ready;
  }

  /// Receives the sum of `node` for this rank's block.
  void collect(int32_t node) {
    if (piece_bytes(me_) == 0) return;
    result_ready_ =
        receive_and_add(Peer::rank(adder(node, me_)), between_, between_turn_++, result_, result_ready_);
  }

  TaskId receive_and_add(Peer from, SegmentRing& landings, uint64_t turn, BufRef sum, TaskId sum_ready) {
    const BufRef landing = landings.scratch(turn).part(0, sum.length);
    const TaskId arrived = builder_.recv(from, landing, landings.free(turn));
    const TaskId added = builder_.reduce(landing, sum, {arrived, sum_ready});
    landings.set_done(turn, added);
    return added;
  }

  const Rank me_;
  const int32_t my_node_;
  const Topology& topology_;
  const BlockOffset offset_;
  const uint64_t largest_, segment_;
  ScheduleBuilder builder_;
  SegmentRing sums_;              // per target node: sums of the blocks that this rank reduces
  SegmentRing inside_, between_;  // receive buffers of all operands after the first
  uint64_t unit_ = 0, inside_turn_ = 0, between_turn_ = 0;
  uint64_t from_ = 0;  // offset of the current segment in every block
  BufRef result_;      // result of the current segment
  TaskId result_ready_ = k_no_task;
};

bool block_in_segments(const RankInvariantRequest& request, const Topology&, const ParameterSet& parameters,
                       std::string* why_not) {
  const Request any_rank = request.representative();
  return segments_fit(largest_block_bytes(any_rank), segment_of(any_rank, parameters), why_not);
}

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  return Builder(request, me, topology, parameters).build();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const uint64_t segments = segment_count(largest_block_bytes(request), segment_of(request, parameters));
  // In each segment and step one message inside a node, then one between nodes.
  return {.rounds = 2 * static_cast<uint64_t>(topology.node_count()) * segments,
          .busiest_bytes = request.bytes,
          .is_upper_bound = true};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "node_pairwise",
          .summary =
              "one rank of each node adds up a block and sends it to its owner, all ranks sharing the work",
          .source = "after Thakur, Rabenseifner, Gropp, IJHPCA 2005, §5",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies_if<has_two_levels, nodes_may_combine, block_in_segments>,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_node_pairwise = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_node_pairwise = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
