#pragma once
// Groups that go together where there are fewer colours than trees: two by two, those that are most alike.
// Their tree has few switches more than each of theirs. (Paper 004, section 3.3, merges where a group finds
// no colour; what has grown by that stands in the way of all that come after.)

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/router_state.hpp"

namespace tutti::fabric {

/// Each unit with the one that has most of the same switches, where there is one that is enough like it:
/// `least_likeness`, 0 to 1, of all switches that either has are those of both.
std::vector<Unit> joined_in_pairs(std::span<const Unit> units, uint32_t switch_count, double least_likeness);

}  // namespace tutti::fabric
