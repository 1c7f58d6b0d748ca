#pragma once
// Tree phases: a vector is reduced segment by segment from the leaves to the root. A chain is the tree in which every
// position has one child.

#include <vector>

#include "algorithm/phase.hpp"
#include "algorithm/segment_turns.hpp"
#include "pattern/knomial.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

/// One position's part of a tree reduction. The subtrees of the children must follow this position and each other in
/// rank order, in the order of `children`; the order of operands is then kept for operators that do not commute.
class TreeReduction {
 public:
  struct Place {
    Peer parent;                 // Kind::none at the root of the tree
    std::vector<Peer> children;  // in rank order
  };

  /// `result`: buffer of the reduced vector (of the subtree); may be `operand`. Empty if the position only forwards it:
  /// a few segments of scratch are then sufficient for any vector length.
  TreeReduction(ScheduleBuilder& builder, Place place, pattern::Segments segments, BufRef operand,
                BufRef result);

  struct Segment {
    BufRef place;
    TaskId ready = k_no_task;  // reduced over the subtree
    /// The send to the parent; after it `place` and the operand may be written again.
    TaskId sent = k_no_task;
  };
  /// Adds the tasks of segment i; must be called for 0, 1, 2, … in this order.
  Segment add(uint64_t i);

 private:
  ScheduleBuilder& builder_;
  Place place_;
  pattern::Segments segments_;
  BufRef operand_, result_;
  SegmentTurns passing_;                // the subtree's result if it is only forwarded
  std::vector<SegmentTurns> landings_;  // one per child; empty for a child that is received into `result`
};

/// The neighbours of position v in the tree, with peer(position) as the peer at a position.
TreeReduction::Place knomial_place(const pattern::KnomialTree& tree, Rank v,
                                   const std::function<Peer(Rank)>& peer);

}  // namespace tutti::algorithm
