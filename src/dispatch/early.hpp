#pragma once
// Blocking calls that return before their operations have ended (paper 002; DESIGN §6a): which ones may, and by which
// algorithm. The same on all ranks.

#include <optional>
#include <string_view>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/services.hpp"
#include "select/candidate.hpp"
#include "select/selector.hpp"
#include "topology/topology.hpp"

namespace tutti::dispatch {

/// Reads TUTTI_OVERLAP_COLLECTIVES: "all", or names with commas between. Error: invalid_argument.
base::Result<CollectiveSet> parse_early_collectives(std::string_view list);

/// Calls of this collective may, if they are blocking and long enough.
bool may_return_early(const Options& options, const topology::Topology& topology,
                      algorithm::Collective collective);
/// Calls of this size may; `bytes` as select::bytes_of_interest() has them.
bool may_return_early(const Options& options, const topology::Topology& topology,
                      algorithm::Collective collective, uint64_t bytes, bool bytes_known);

/// By which algorithm one does; nullopt: none serves it. `common`: what all ranks know. A rule that a person has made
/// is obeyed.
std::optional<select::Candidate> early_candidate(const algorithm::Request& common,
                                                 const topology::Topology& topology,
                                                 const select::CommunicatorRules& rules);

}  // namespace tutti::dispatch
