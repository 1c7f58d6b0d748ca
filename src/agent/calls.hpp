#pragma once
// Decides which calls agents serve, and describes these calls.

#include <cstdint>
#include <string>

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"
#include "algorithm/rank_invariant_request.hpp"
#include "topology/topology.hpp"

namespace tutti::agent {

/// True if agents may serve this request; otherwise sets *why_not to a one-line reason. Rank-invariant.
bool serves(const algorithm::RankInvariantRequest& request, const topology::Topology& topology,
            std::string* why_not);

/// Describes the call, to be split into parts of `bytes` (BoardCall); for reductions the caller adds operator and
/// element type. `area_bytes`: of the smallest board of all nodes. `choice`: the algorithm among the agents
/// (between_nodes()); without one they choose. bytes == 0 if not even one element fits, or the call carries
/// no data.
Description describe(const algorithm::RankInvariantRequest& request, const topology::Topology& topology,
                     uint64_t area_bytes, const algorithm::Choice& choice = {});
/// False: not even one element fits, see describe().
bool fits(const Description& whole);
/// True if agents may be fast even without late ranks: only if the call has few parts, since each part passes
/// through all agents. Rank-invariant.
bool may_be_quick(const algorithm::RankInvariantRequest& request, const topology::Topology& topology);

}  // namespace tutti::agent
