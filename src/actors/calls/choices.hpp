#pragma once
// Selects the algorithm of a collective for ranks as threads.

#include <string_view>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "select/candidate.hpp"
#include "topology/topology.hpp"

namespace tutti::actors {

/// Name of the algorithms that have leaders.
inline constexpr std::string_view k_two_levels = "hierarchical";

/// Rank-invariant. With several containers, a two-level algorithm if there is one. TUTTI_<COLLECTIVE>
/// overrides the choice if that algorithm applies.
base::Result<algorithm::Choice> choose(const algorithm::Request& request, const topology::Topology& topology);
/// How the leader of a container is selected in collectives across containers (DESIGN §5): `first`, the
/// paper's CP, or `fixed`, its P. Set by TUTTI_ACTORS_LEADER.
select::LeaderPolicy leader_policy();

}  // namespace tutti::actors
