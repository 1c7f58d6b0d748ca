#pragma once
// Which algorithm serves a collective among threads.

#include <string_view>

#include <cstdint>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "topology/topology.hpp"

namespace tutti::actors {

/// Who leads the ranks of a container in collectives that go beyond it (DESIGN §5).
enum class LeaderPolicy : uint8_t {
  first,  // whoever comes first: the paper's CP
  fixed,  // the lowest rank: its P
};

/// The name of those that have leaders.
inline constexpr std::string_view k_two_levels = "hierarchical";

/// The same on all ranks. With several containers, in two levels where there is a way. TUTTI_<COLLECTIVE> names another
/// one, where that applies.
base::Result<algorithm::Choice> choose(const algorithm::Request& request, const topology::Topology& topology);
/// TUTTI_ACTORS_LEADER.
LeaderPolicy leader_policy();

}  // namespace tutti::actors
