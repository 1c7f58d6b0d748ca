#pragma once
// Many groups at once, none of them announced yet: the guided method may change their order, and merge some of
// them. Once all have trees, passes over these improve the routing.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/groups.hpp"
#include "fabric/placement.hpp"
#include "fabric/routing.hpp"

namespace tutti::fabric {

/// Routes the groups of a set, which are the groups of the routing and have no trees. False when `progress`
/// stopped it: some groups then have trees.
bool route_batch(Routing& routing, UnitPlacement& placement, const GroupSet& set,
                 const RoutingProgress& progress);

/// Joins each unit with the unit that shares most of its switches. Two units are joined only if their common
/// switches are at least the share `least_likeness` (0 to 1) of the switches that either of them has.
std::vector<Unit> joined_in_pairs(std::span<const Unit> units, uint32_t switch_count, double least_likeness);

/// Which groups share a tree.
enum class Sharing : uint8_t { none, of_alike, of_any };

/// Moves trees off the cables that carry most groups. `effort` and `sharing` determine how many paths are
/// searched for each group.
void balance(Routing& routing, Effort effort, Sharing sharing);

/// Removes colours one by one, as long as the trees of the last colour fit into the other colours and the
/// heaviest cable carries no more. `least`: lower bound for the number of colours.
void recolour(Routing& routing, uint32_t least);

}  // namespace tutti::fabric
