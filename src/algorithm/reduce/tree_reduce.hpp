#pragma once
// What the reductions along a tree share: which rank is the tree's root, and how its result reaches
// Request::root.

#include <functional>

#include "algorithm/algorithm.hpp"
#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {

/// The root of the reduction collects, unless the operator does not commute: then the tree must be in rank
/// order, so rank 0 collects and forwards each segment to the root.
Rank collecting_rank(const Request& request);

/// The place of a position in the tree; position 0 is the collecting rank.
using PlaceInTree =
    std::function<TreeReduction::Place(Rank position, const std::function<schedule::Peer(Rank)>&)>;

base::Result<Schedule> build_tree_reduce(const Request& request, Rank me, uint64_t segment_bytes,
                                         const PlaceInTree& place_in_tree);
/// Cost for a tree of that height: every rank sends its reduced subtree once, and ranks that have both
/// children and a parent forward from SegmentTurns.
Cost tree_reduce_cost(const Request& request, uint64_t segment_bytes, uint64_t height);

}  // namespace tutti::algorithm
