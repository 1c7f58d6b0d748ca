#pragma once
// Collectives along a tree of ranks: a message passes down it piece by piece, or a vector is reduced on its way up,
// which is the same with time reversed and a reduction where a message lands. Any order of ranks is a tree: a chain is
// the tree in which every position has one child.

#include <span>
#include <type_traits>
#include <vector>

#include "algorithm/phase.hpp"
#include "algorithm/segment_turns.hpp"
#include "pattern/knomial.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

/// The neighbours of one rank in a tree.
struct TreePlace {
  Peer parent;                 // Kind::none at the root of the tree
  std::vector<Peer> children;  // the smallest subtree first

  bool is_root() const { return parent.kind == Peer::Kind::none; }
};

/// The tree of a shape of pattern/ over all ranks. The radix of a k-nomial tree is parameter number 0.
template <class Tree>
Tree tree_of(const Request& request, const ParameterSet& parameters) {
  if constexpr (std::is_same_v<Tree, pattern::KnomialTree>)
    return {request.rank_count, static_cast<Rank>(parameters[0])};
  else
    return {request.rank_count};
}

/// The place of members.me, with the members at the positions of the tree.
template <class Tree>
TreePlace tree_place(const Tree& tree, const Members& members) {
  TreePlace place;
  if (members.me > 0) place.parent = members.peer(tree.parent(members.me));
  for (const auto& child : tree.children(members.me)) place.children.push_back(members.peer(child.position));
  return place;
}

/// The place of `me`, one of `ranks`, in a chain of ranks in this order.
TreePlace chain_place(std::span<const Rank> ranks, Rank me);

/// Passes one piece of a message down the tree, the largest subtree, which is the deepest, first. The root sends after
/// `after`, the others receive after it.
void pass_down(ScheduleBuilder& builder, const TreePlace& place, BufRef piece, TaskId after = k_no_task);

/// One position's part of a tree reduction. If the operator does not commute, the subtrees of the children must follow
/// this position and each other in rank order, in the order of `children`.
class TreeReduction {
 public:
  /// `result`: buffer of the reduced vector (of the subtree); may be `operand`. Empty if the position only forwards it:
  /// a few segments of scratch are then sufficient for any vector length.
  TreeReduction(ScheduleBuilder& builder, TreePlace place, pattern::Segments segments, BufRef operand,
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
  TreePlace place_;
  pattern::Segments segments_;
  BufRef operand_, result_;
  SegmentTurns passing_;                // the subtree's result if it is only forwarded
  std::vector<SegmentTurns> landings_;  // one per child; empty for a child that is received into `result`
};

}  // namespace tutti::algorithm
