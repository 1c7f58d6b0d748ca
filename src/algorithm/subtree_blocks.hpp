#pragma once
// Blocks on a k-nomial tree: what gather and scatter move between a rank and its parent.

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"
#include "pattern/knomial.hpp"

namespace tutti::algorithm {

/// Positions are ranks counted from the root, so that a subtree is a run of ranks, which may wrap around past
/// the last rank. The blocks of a subtree travel in this order, without gaps.
class SubtreeBlocks {
 public:
  /// `blocks` at the root lie in `slot`; elsewhere only their sizes matter.
  SubtreeBlocks(const Request& request, Rank radix, schedule::Slot slot)
      : tree_{request.rank_count, radix},
        root_(request.root),
        layout_(request.blocks, request.rank_count, slot) {}

  const pattern::KnomialTree& tree() const { return tree_; }
  const BlockLayout& layout() const { return layout_; }
  Rank position(Rank rank) const { return (rank - root_ + tree_.count) % tree_.count; }
  Rank rank(Rank position) const { return (position + root_) % tree_.count; }
  schedule::Peer peer(Rank position) const { return schedule::Peer::rank(rank(position)); }
  schedule::Peer parent(Rank position) const { return peer(tree_.parent(position)); }
  /// Bytes of the blocks of `count` positions from `first` on.
  uint64_t bytes(Rank first, Rank count) const { return layout_.range_bytes(rank(first), count); }

  /// One message between a position and its parent: `count` blocks from rank `first` on, which are the bytes
  /// [at, at + bytes) of the subtree.
  struct Message {
    Rank first, count;
    uint64_t at, bytes;
  };
  /// Calls visit(Message) for all messages between `position` and its parent. To and from the root, which has
  /// its blocks in rank order, a subtree that wraps around is cut there: both parts can lie at their final
  /// place.
  template <class Visit>
  void for_each_message(Rank position, Visit visit) const {
    const Rank first = rank(position), span = tree_.span(position);
    const bool cut = tree_.parent(position) == 0 && first + span > tree_.count;
    const Rank before_cut = cut ? tree_.count - first : span;
    const uint64_t before_bytes = layout_.range_bytes(first, before_cut);
    if (before_bytes > 0) visit(Message{first, before_cut, 0, before_bytes});
    const uint64_t after_bytes = bytes(position, span) - before_bytes;
    if (after_bytes > 0) visit(Message{0, span - before_cut, before_bytes, after_bytes});
  }

  /// The longest chain of messages between the root and a rank whose block is not empty.
  uint64_t rounds() const;
  /// The most bytes in the subtree of any rank but the root.
  uint64_t largest_subtree_bytes() const;

 private:
  pattern::KnomialTree tree_;
  Rank root_;
  BlockLayout layout_;
};

/// The guard of algorithms in which ranks on the way pass on the blocks of others.
bool sizes_are_known(const Request& request, std::string* why_not);

}  // namespace tutti::algorithm
