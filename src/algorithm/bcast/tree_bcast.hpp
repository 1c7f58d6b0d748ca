#pragma once
// Broadcast along a tree: the root sends segment after segment, and every rank forwards each segment as soon as it has
// arrived.

#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {

/// The schedule of the rank at `place`.
BuildResult build_tree_bcast(const TreePlace& place, const pattern::Segments& segments);

template <class Tree>
BuildResult build_tree_bcast(const Request& request, Rank me, const Tree& tree, uint64_t segment_bytes) {
  return build_tree_bcast(tree_place(tree, ranks_from(request.root, request, me)),
                          {request.bytes, segment_bytes});
}

/// The root is the busiest rank: it sends the whole message to each of its children.
template <class Tree>
Cost tree_bcast_cost(const Request& request, const Tree& tree) {
  if (request.bytes == 0) return {};
  return {tree.height(), tree.child_count(0) * request.bytes};
}

/// Functions of a catalogue entry; parameter number k_segment is the length of a segment.
template <class Tree, size_t k_segment>
struct TreeBcast {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
    return build_tree_bcast(request, me, tree_of<Tree>(request, parameters), parameters[k_segment]);
  }
  static Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
    return tree_bcast_cost(request, tree_of<Tree>(request, parameters));
  }
};

}  // namespace tutti::algorithm
