#pragma once
// The specification of each collective in the verifier's terms, and the verification of one algorithm.

#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "schedule/verifier.hpp"
#include "topology/topology.hpp"

namespace tutti::algorithm {

/// Contents of every rank's buffers before and after the collective. `every_rank` has the request of each rank, in rank
/// order; the requests must match as MPI demands (same collective and root, matching sizes).
std::vector<schedule::RankContents> specify(std::span<const Request> every_rank);

/// Builds the schedules of all ranks, verifies them, and compares the counted cost with the algorithm's cost() (equal,
/// or not larger if is_upper_bound). The cost() of the root's request counts for a rooted collective, otherwise the
/// maximum over all requests (they differ only if no rank knows all sizes). Requires that applies() is true.
schedule::VerifyReport verify(const Algorithm& algorithm, std::span<const Request> every_rank,
                              const Topology& topology, const ParameterSet& parameters);

}  // namespace tutti::algorithm
