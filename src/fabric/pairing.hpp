#pragma once
// Pairs of similar groups share a tree if there are fewer colours than trees. The common tree of two similar
// groups has only few switches more than the tree of either. (Paper 004, section 3.3, merges only when a
// group finds no colour. The merged trees then block the groups that follow.)

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/router_state.hpp"

namespace tutti::fabric {

/// Joins each unit with the unit that shares most of its switches. Two units are joined only if their common
/// switches are at least the share `least_likeness` (0 to 1) of the switches that either of them has.
std::vector<Unit> joined_in_pairs(std::span<const Unit> units, uint32_t switch_count, double least_likeness);

}  // namespace tutti::fabric
