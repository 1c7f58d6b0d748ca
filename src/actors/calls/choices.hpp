#pragma once
// Which algorithm serves a collective among threads.

#include <string_view>

#include "actors/calls/collectives.hpp"

namespace tutti::actors {

/// The name of those that have leaders.
inline constexpr std::string_view k_two_levels = "hierarchical";

/// The same on all ranks. With several containers, in two levels where there is a way. TUTTI_<COLLECTIVE> names another
/// one, where that applies.
base::Result<algorithm::Choice> choose(const algorithm::Request& request, const topology::Topology& topology);
/// TUTTI_ACTORS_LEADER.
LeaderPolicy leader_policy();

}  // namespace tutti::actors
