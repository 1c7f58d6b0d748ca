#include "collective/early_return_policy.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "algorithm/parts_in_access_order.hpp"
#include "base/text.hpp"

namespace tutti::collective {

using algorithm::Collective;
using algorithm::RankInvariantRequest;
using base::Result;
using base::Status;
using select::CallInterface;

namespace {

/// Default algorithm for early-return calls; settings and user rules override it. All of them serve any number of ranks
/// and complete the parts of the result one after the other.
struct Default {
  Collective collective;
  std::string_view candidate;
  bool is_better = false;  // preferred to an algorithm that the rules choose for a nonblocking call
};
constexpr std::array k_defaults{
    Default{Collective::bcast, "ordered", true},      Default{Collective::allgather, "ordered", true},
    Default{Collective::allgatherv, "ordered", true}, Default{Collective::gather, "ordered", true},
    Default{Collective::gatherv, "ordered", true},    Default{Collective::scatter, "ordered", true},
    Default{Collective::scatterv, "ordered", true},   Default{Collective::alltoall, "ordered", true},
    Default{Collective::alltoallv, "ordered", true},  Default{Collective::alltoallw, "ordered", true},
    Default{Collective::reduce, "ordered", true},     Default{Collective::allreduce, "ordered", true},
    Default{Collective::reduce_scatter, "ring"},      Default{Collective::reduce_scatter_block, "ring"},
};

const Default* default_of(Collective collective) {
  const auto* const found = std::ranges::find(k_defaults, collective, &Default::collective);
  return found == k_defaults.end() ? nullptr : found;
}

}  // namespace

Result<CollectiveSet> parse_early_collectives(std::string_view list) {
  if (list == "all") return CollectiveSet().set();
  CollectiveSet chosen;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    const std::string_view name = list.substr(at, comma - at);
    auto collective = Collective::barrier;
    if (!algorithm::from_string(name, &collective) || default_of(collective) == nullptr)
      return Status::invalid_argument(base::in_quotes(name) + " is no collective that could");
    chosen.set(static_cast<size_t>(collective));
    at = comma + 1;
  }
  return chosen;
}

bool may_return_early(const Options& options, const topology::Topology& topology, Collective collective) {
  return options.least_early_bytes.has_value() && topology.node_count() > 1 &&
         options.early_collectives.test(static_cast<size_t>(collective)) && default_of(collective) != nullptr;
}

bool may_return_early(const Options& options, const topology::Topology& topology, Collective collective,
                      uint64_t bytes, bool bytes_known) {
  return may_return_early(options, topology, collective) &&
         (!bytes_known || bytes >= *options.least_early_bytes);
}

std::optional<EarlyReturnChoice> select_early_return(const RankInvariantRequest& request,
                                                     const topology::Topology& topology,
                                                     const select::CommunicatorRules& rules) {
  const select::Decision decision = rules.decide(request, topology, CallInterface::nonblocking);
  if (decision.is_binding && (decision.is_native() || decision.use.is_by_agents())) return std::nullopt;
  const Default& made_for_it = *default_of(request.collective);
  EarlyReturnChoice choice{.candidate = decision.use, .is_binding = decision.is_binding};
  std::string why_not;
  if (!decision.is_binding && (decision.is_native() || made_for_it.is_better)) {
    const auto candidate = select::parse_candidate(request.collective, made_for_it.candidate);
    if (candidate &&
        applies(*candidate, request, topology, CallInterface::nonblocking, rules.no_agents(), &why_not))
      choice = {*candidate, algorithm::order_parameters(*candidate->choice.algorithm).has_value()};
    else if (decision.is_native())
      return std::nullopt;
  }
  choice.candidate.progress.mode = select::ProgressMode::early;
  return choice;
}

select::Candidate in_order(select::Candidate candidate, pattern::AccessOrder order) {
  const size_t first = *algorithm::order_parameters(*candidate.choice.algorithm);
  candidate.choice.parameters.values[first] = order.is_backward;
  candidate.choice.parameters.values[first + 1] = order.stride;
  return candidate;
}

}  // namespace tutti::collective
