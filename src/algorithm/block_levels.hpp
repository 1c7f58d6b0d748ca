#pragma once
// Two-level collectives on blocks (gather, scatter, allgather, reduce_scatter): the blocks of a node travel between
// nodes together, range by range, so that one range is in flight while the next is collected, or the previous one
// handed out, inside the nodes.

#include "algorithm/hierarchy.hpp"
#include "algorithm/node_order.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {

/// The exchange of one range of every node block between the leaders. Refers to its own arrays, and is therefore
/// neither copied nor moved.
struct NodeExchange {
  std::vector<uint64_t> sizes, offsets;  // by node; the size is 0 for the node of a root
  Request request;

  /// The range [from, from + segment) of every node block. `in_vector`: the ranges lie at their final offsets in the
  /// vector that `order` describes; otherwise they are packed in node order.
  NodeExchange(const Request& whole, Collective collective, const NodeOrder& order, const TwoLevel& two,
               uint64_t from, uint64_t segment, bool in_vector);
  NodeExchange(const NodeExchange&) = delete;
  NodeExchange& operator=(const NodeExchange&) = delete;
};

/// Length and number of the ranges of the node blocks.
struct NodeRanges {
  NodeRanges(const NodeOrder& order, const Request& request, uint64_t wanted_bytes)
      : bytes(segment_bytes(order.largest_node_bytes(), wanted_bytes, request.element_bytes)),
        count(segment_count(order.largest_node_bytes(), bytes)) {}
  uint64_t bytes, count;
};

/// The condition that there are not too many ranges, and that `inter` applies to `collective` between the leaders.
bool block_levels_apply(const Algorithm* inter, Collective collective, const RankInvariantRequest& request,
                        const Topology& topology, uint64_t wanted_segment, std::string* why_not);

/// Builds the schedule of one rank; each collective adds how it joins the levels.
class BlockLevels {
 public:
  BlockLevels(const BlockLevels&) = delete;
  BlockLevels& operator=(const BlockLevels&) = delete;

 protected:
  /// `inter`: the algorithm between the leaders. `root`: leads its node; -1 without one.
  BlockLevels(const Algorithm* inter, const Request& request, Rank me, const Topology& topology,
              uint64_t wanted_segment, Rank root = -1);
  ~BlockLevels() = default;

  /// Calls add_range(from, index) for the ranges [from, from + segment_) of all node blocks, or in descending order, up
  /// to the first error; `index` counts the calls.
  template <class AddRange>
  base::Status for_each_range(AddRange add_range, bool is_descending = false) const {
    const uint64_t count = segment_count(order_.largest_node_bytes(), segment_);
    for (uint64_t index = 0; index < count; ++index) {
      const uint64_t range = is_descending ? count - 1 - index : index;
      if (base::Status status = add_range(range * segment_, index); !status) return status;
    }
    return {};
  }

  /// This rank's schedule of an exchange between the leaders.
  BuildResult between_leaders(const NodeExchange& exchange);

  /// The leader gives every member its part of a range of this node's block.
  TaskId hand_out(BufRef range, uint64_t from, TaskId ready);
  /// A member receives its part.
  void take(uint64_t from);

  const Request& request_;
  const Rank me_;
  LevelAlgorithm inter_;
  const TwoLevel two_;
  const NodeOrder order_;
  const uint64_t segment_;
  ScheduleBuilder builder_;
};

}  // namespace tutti::algorithm
