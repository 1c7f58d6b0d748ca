#pragma once
// Broadcast along a tree: the root sends segment after segment, and every rank forwards each segment as soon as it has
// arrived.

#include "algorithm/algorithm.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

template <class Tree>
base::Result<Schedule> build_tree_bcast(const Request& request, Rank me, const Tree& tree,
                                        uint64_t segment_bytes) {
  const Rank p = request.rank_count, position = (me - request.root + p) % p;
  const auto peer = [&](Rank at) { return Peer::rank((at + request.root) % p); };
  const auto children = tree.children(position);
  const pattern::Segments segments{request.bytes, segment_bytes};

  ScheduleBuilder builder;
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const BufRef piece{Slot::output, segments.offset(i), segments.length(i)};
    const TaskId arrived = position > 0 ? builder.recv(peer(tree.parent(position)), piece) : k_no_task;
    // The largest subtree is the deepest and is sent to first.
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      builder.send(peer(child->position), piece, arrived);
  }
  return std::move(builder).finish();
}

}  // namespace tutti::algorithm
