#pragma once
// Shared by the reductions along a tree: the choice of the tree's root, and the forwarding of the result to
// Request::root.

#include <functional>

#include "algorithm/algorithm.hpp"
#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {

/// The rank at the root of the tree: the root of the reduction if the operator commutes. Otherwise the tree must be in
/// rank order, so that rank 0 collects and forwards each segment to the root.
Rank collecting_rank(const Request& request);

/// The neighbours of a position in the tree; position 0 is the collecting rank.
using PlaceInTree = std::function<TreeReduction::Place(Rank position, const std::function<Peer(Rank)>&)>;

base::Result<Schedule> build_tree_reduce(const Request& request, Rank me, uint64_t segment_bytes,
                                         const PlaceInTree& place_in_tree);
/// Cost for a tree of height `height`: every rank sends its reduced subtree once, and ranks that have both children and
/// a parent forward through SegmentTurns.
Cost tree_reduce_cost(const Request& request, uint64_t segment_bytes, uint64_t height);

}  // namespace tutti::algorithm
