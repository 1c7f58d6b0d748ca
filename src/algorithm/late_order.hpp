#pragma once
// Orders of ranks for algorithms with one known late rank: the late rank is last.

#include <string>
#include <vector>

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {

/// The parameters of algorithms with Algorithm::is_for_late_rank: first the late rank.
inline constexpr Parameter k_late_parameters[] = {
    {.name = "late", .summary = "the rank that comes last", .default_value = 0, .min = 0, .max = 1 << 24},
    segment_parameter(32 << 10),
};

/// The condition that these algorithms share: the late rank exists, and there are not too many segments.
bool late_parameters_fit(const RankInvariantRequest& request, const Topology& topology,
                         const ParameterSet& parameters, std::string* why_not);

/// The place of `me` in a chain of nodes. Each node has a leader that forwards to the next node, then to the others of
/// its node, to the late rank last. The root leads the first node. The late rank's node is the last one, unless the
/// root is on it. A late rank leads only if it is the root or alone on its node.
TreePlace late_last_place(const Topology& topology, Rank me, Rank root, Rank late);

/// All ranks except the late one, node by node, the late rank's node first.
std::vector<Rank> punctual_ranks(const Topology& topology, Rank late);

}  // namespace tutti::algorithm
