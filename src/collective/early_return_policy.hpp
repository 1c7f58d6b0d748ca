#pragma once
// Decides which blocking calls may return before their operations have ended (paper 002; DESIGN §6a), and by which
// algorithm. The results are the same on all ranks.

#include <optional>
#include <string_view>

#include "algorithm/rank_invariant_request.hpp"
#include "base/status.hpp"
#include "collective/process_context.hpp"
#include "pattern/access_order.hpp"
#include "select/candidate.hpp"
#include "select/selector.hpp"
#include "topology/topology.hpp"

namespace tutti::collective {

/// Parses TUTTI_OVERLAP_COLLECTIVES: "all", or names separated by commas. Error: invalid_argument.
base::Result<CollectiveSet> parse_early_collectives(std::string_view list);

/// True if blocking calls of this collective may return early when they are large enough.
bool may_return_early(const Options& options, const topology::Topology& topology,
                      algorithm::Collective collective);
/// True if blocking calls of this size may return early; `bytes` as in select::bytes_of_interest().
bool may_return_early(const Options& options, const topology::Topology& topology,
                      algorithm::Collective collective, uint64_t bytes, bool bytes_known);

/// How a call returns early.
struct EarlyReturnChoice {
  select::Candidate candidate;
  /// The data arrives in the order in which the program uses it, as far as that order is known.
  bool learns_order = false;
  /// A user's rule demands this algorithm: no trials.
  bool is_binding = false;
};

/// Selects the algorithm of a call that may return early; nullopt: none serves it. A binding rule takes
/// precedence.
std::optional<EarlyReturnChoice> select_early_return(const algorithm::RankInvariantRequest& request,
                                                     const topology::Topology& topology,
                                                     const select::CommunicatorRules& rules);

/// `candidate` with its order parameters set to `order`; its algorithm must have such parameters.
select::Candidate in_order(select::Candidate candidate, pattern::AccessOrder order);

}  // namespace tutti::collective
