#pragma once
// What each collective promises, in the verifier's terms, and the verification of one algorithm.

#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "schedule/verifier.hpp"
#include "topology/topology.hpp"

namespace tutti::algorithm {

/// What every rank holds before and after the collective. `every_rank` has the request of each rank, in rank
/// order; what they say must fit together as MPI demands (same collective and root, matching sizes).
std::vector<schedule::RankContents> specify(std::span<const Request> every_rank);

/// Builds the schedules of all ranks, verifies them, and compares what was counted with the algorithm's
/// cost() (equal, or no more where it is_upper_bound): the root's for a rooted collective, otherwise the most
/// that any rank's request gives (they differ only where no rank knows all sizes). The caller has asked
/// applies() before.
schedule::VerifyReport verify(const Algorithm& algorithm, std::span<const Request> every_rank,
                              const Topology& topology, const ParameterSet& parameters);

}  // namespace tutti::algorithm
