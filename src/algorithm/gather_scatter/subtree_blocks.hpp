#pragma once
// Blocks on a tree whose subtrees are runs of positions: the data that gather and scatter move between a rank and its
// parent.

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"

namespace tutti::algorithm {

/// Positions are ranks relative to the root, so that a subtree is a run of ranks, which may wrap around after the last
/// rank. The blocks of a subtree travel in this order, without gaps. `Tree`: a type of pattern/knomial.hpp or bine.hpp.
template <class Tree>
class SubtreeBlocks {
 public:
  /// At the root `blocks` lie in `slot`; on other ranks only their sizes are used.
  SubtreeBlocks(const Request& request, const Tree& tree, Slot slot)
      : tree_(tree),
        root_(request.root),
        is_reversed_(!is_scatter(request.collective)),
        layout_(request.blocks, request.rank_count, slot) {}

  const Tree& tree() const { return tree_; }
  const BlockLayout& layout() const { return layout_; }
  Rank position(Rank rank) const { return (rank - root_ + tree_.count) % tree_.count; }
  Rank rank(Rank position) const { return (position + root_) % tree_.count; }
  Peer peer(Rank position) const { return Peer::rank(rank(position)); }
  Peer parent(Rank position) const { return peer(tree_.parent(position)); }
  /// Bytes of the blocks of `count` positions from `first` on.
  uint64_t bytes(Rank first, Rank count) const { return layout_.range_bytes(rank(first), count); }

  /// Total size of the blocks in the subtree of `position`.
  uint64_t subtree_bytes(Rank position) const { return bytes(tree_.first(position), tree_.span(position)); }
  /// Offset of the blocks from position `inner` on in the subtree of `position`.
  uint64_t at(Rank position, Rank inner) const {
    const Rank first = tree_.first(position);
    return bytes(first, (inner - first + tree_.count) % tree_.count);
  }

  /// One message between a position and its parent: `count` blocks from rank `first` on, which are the bytes [at, at +
  /// bytes) of the subtree.
  struct Message {
    Rank first, count;
    uint64_t at, bytes;
  };
  /// Calls visit(Message) for all messages between `position` and its parent. The root has its blocks in rank order; a
  /// subtree that wraps around is therefore split into two messages between the root and its child, so that both parts
  /// can lie at their final offsets. For a gather the last message comes first, which the reversal of time restores.
  template <class Visit>
  void for_each_message(Rank position, Visit visit) const {
    const Rank first = rank(tree_.first(position)), span = tree_.span(position);
    const bool cut = tree_.parent(position) == 0 && first + span > tree_.count;
    const Rank before_cut = cut ? tree_.count - first : span;
    const uint64_t before_bytes = layout_.range_bytes(first, before_cut);
    const uint64_t after_bytes = subtree_bytes(position) - before_bytes;
    const Message before{first, before_cut, 0, before_bytes};
    const Message after{0, span - before_cut, before_bytes, after_bytes};
    for (const Message& message : {is_reversed_ ? after : before, is_reversed_ ? before : after})
      if (message.bytes > 0) visit(message);
  }

  /// Number of messages on the longest path between the root and a rank whose block is not empty.
  uint64_t rounds() const {
    if (layout_.is_uniform()) return layout_.size(0) == 0 ? 0 : tree_.height();
    uint64_t longest = 0;
    for (Rank v = 1; v < tree_.count; ++v)
      if (layout_.size(rank(v)) > 0) longest = std::max(longest, tree_.depth(v));
    return longest;
  }
  /// Maximum subtree size in bytes over all ranks except the root.
  uint64_t largest_subtree_bytes() const {
    uint64_t largest = 0;
    for (const auto& child : tree_.children(0)) largest = std::max(largest, subtree_bytes(child.position));
    return largest;
  }

 private:
  Tree tree_;
  Rank root_;
  bool is_reversed_;
  BlockLayout layout_;
};

}  // namespace tutti::algorithm
