#pragma once
// Blocking calls that return before their operations have ended (paper 002; DESIGN §6a): which ones may, and by which
// algorithm. The same on all ranks.

#include <optional>
#include <string_view>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/services.hpp"
#include "pattern/access_order.hpp"
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

struct EarlyWay {
  select::Candidate candidate;
  /// Its data comes in the order in which the program uses it, as far as that is known.
  bool learns_order = false;
  /// A person wants this algorithm: there is nothing to try.
  bool is_binding = false;
};

/// By which algorithm one does; nullopt: none serves it. `common`: what all ranks know. A rule that a person has made
/// is obeyed.
std::optional<EarlyWay> early_way(const algorithm::Request& common, const topology::Topology& topology,
                                  const select::CommunicatorRules& rules);

/// The same algorithm, which has the parameters for that, in another order.
select::Candidate in_order(select::Candidate candidate, pattern::AccessOrder order);

}  // namespace tutti::dispatch
