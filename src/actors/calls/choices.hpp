#pragma once
// Which algorithm serves a collective among threads.

#include <string_view>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "select/candidate.hpp"
#include "topology/topology.hpp"

namespace tutti::actors {

/// The name of those that have leaders.
inline constexpr std::string_view k_two_levels = "hierarchical";

/// The same on all ranks. With several containers, in two levels where there is a way. TUTTI_<COLLECTIVE> names another
/// one, where that applies.
base::Result<algorithm::Choice> choose(const algorithm::Request& request, const topology::Topology& topology);
/// Who leads the ranks of a container in collectives that go beyond it (DESIGN §5): `first`, the paper's CP, or
/// `fixed`, its P. TUTTI_ACTORS_LEADER.
select::LeaderPolicy leader_policy();

}  // namespace tutti::actors
