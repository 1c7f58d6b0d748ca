#pragma once
// Reduction along a tree: the broadcast down the same tree with time reversed and a reduction where a segment lands.

#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {

/// The rank at the root of the tree: the root of the reduction if the operator commutes. Otherwise the tree must be in
/// rank order, so that rank 0 collects and forwards each segment to the root.
Rank collecting_rank(const Request& request);

/// `place`: of `me` in a tree whose root is the collecting rank.
BuildResult build_tree_reduce(const Request& request, Rank me, TreePlace place, uint64_t segment_bytes);
/// Cost for a tree of height `height`: every rank sends its reduced subtree once, and ranks that have both children and
/// a parent forward through SegmentTurns.
Cost tree_reduce_cost(const Request& request, uint64_t segment_bytes, uint64_t height);

/// Functions of a catalogue entry; parameter number k_segment is the length of a segment.
template <class Tree, size_t k_segment>
struct TreeReduce {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
    const Members members = ranks_from(collecting_rank(request), request, me);
    return build_tree_reduce(request, me, tree_place(tree_of<Tree>(request, parameters), members),
                             parameters[k_segment]);
  }
  static Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
    return tree_reduce_cost(request, parameters[k_segment], tree_of<Tree>(request, parameters).height());
  }
};

}  // namespace tutti::algorithm
