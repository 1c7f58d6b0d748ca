#pragma once
// Tree phases: a vector travels from the leaves to the root and is reduced on its way, segment by segment. A
// chain is the tree in which every position has one child.

#include <vector>

#include "algorithm/phase.hpp"
#include "algorithm/segment_turns.hpp"
#include "pattern/knomial.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

/// One position's part of a tree reduction. The subtrees of the children must follow the own position in rank
/// order and each other in the given order; then operators that do not commute keep their order.
class TreeReduction {
 public:
  struct Place {
    schedule::Peer parent;                 // Kind::none at the root of the tree
    std::vector<schedule::Peer> children;  // in rank order
  };

  /// `result`: where the reduced vector (of the subtree) is wanted; may be `operand`. Empty when the position
  /// only passes it on: then a few segments of scratch are enough, however long the vector is.
  TreeReduction(schedule::ScheduleBuilder& builder, Place place, pattern::Segments segments,
                schedule::BufRef operand, schedule::BufRef result);

  struct Segment {
    schedule::BufRef place;
    TaskId ready = schedule::k_no_task;  // reduced over the subtree
    /// Has left for the parent: `place` and the operand may be written again.
    TaskId sent = schedule::k_no_task;
  };
  /// Adds the tasks of segment i; call it for 0, 1, 2, … in this order.
  Segment add(uint64_t i);

 private:
  schedule::ScheduleBuilder& builder_;
  Place place_;
  pattern::Segments segments_;
  schedule::BufRef operand_, result_;
  SegmentTurns passing_;                // the subtree's result, when it is only passed on
  std::vector<SegmentTurns> landings_;  // one per child; empty for a child that lands in the result's place
};

/// The tree's place of position v, with peer(position) as the peer at a position.
TreeReduction::Place knomial_place(const pattern::KnomialTree& tree, schedule::Rank v,
                                   const std::function<schedule::Peer(schedule::Rank)>& peer);

}  // namespace tutti::algorithm
