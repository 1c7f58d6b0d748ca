// Blocking calls that return before their operations have ended (paper 002; DESIGN §6a): which ones, and by which
// algorithm.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dispatch/common_part.hpp"
#include "dispatch/decisions.hpp"

namespace tutti::dispatch {

using algorithm::Collective;
using algorithm::Request;
using select::CallKind;

namespace {

/// What serves a call unless a person wants something else. All of them take any number of ranks and bring every part
/// of the result at its own time.
struct Default {
  Collective collective;
  std::string_view candidate;
  bool is_better = false;  // than what the rules would choose for a call that does not block
};
constexpr std::array k_defaults{
    Default{Collective::bcast, "ordered", true},
    Default{Collective::allgather, "ordered", true},
    Default{Collective::allgatherv, "ordered", true},
    Default{Collective::gather, "ordered", true},
    Default{Collective::gatherv, "ordered", true},
    Default{Collective::scatter, "ordered", true},
    Default{Collective::scatterv, "ordered", true},
    Default{Collective::alltoall, "ordered", true},
    Default{Collective::alltoallv, "ordered", true},
    Default{Collective::alltoallw, "ordered", true},
    Default{Collective::reduce, "chain"},
    Default{Collective::allreduce, "ring"},
    Default{Collective::reduce_scatter, "ring"},
    Default{Collective::reduce_scatter_block, "ring"},
};

const Default* default_of(Collective collective) {
  const auto* const found = std::ranges::find(k_defaults, collective, &Default::collective);
  return found == k_defaults.end() ? nullptr : found;
}

}  // namespace

bool Decisions::may_return_early(Collective collective) const {
  return services_.options().least_early_bytes.has_value() && group_.topology->node_count() > 1 &&
         default_of(collective) != nullptr;
}

bool Decisions::returns_early(Collective collective, uint64_t bytes, bool bytes_known,
                              CallKind interface) const {
  return interface == CallKind::blocking && may_return_early(collective) &&
         (!bytes_known || bytes >= *services_.options().least_early_bytes);
}

Prepared Decisions::prepare_early(const Request& request) {
  Prepared prepared;
  if (early_plans_.find(request, PlanCache::k_by_rules, &prepared)) return prepared;
  const Request common = common_part(request);
  select::Decision decision = rules_->decide(common, *group_.topology, CallKind::nonblocking);
  const Default& made_for_it = *default_of(request.collective);
  if (!decision.is_binding && (decision.is_native() || made_for_it.is_better)) {
    const auto candidate = select::parse_candidate(request.collective, made_for_it.candidate);
    std::string why_not;
    if (candidate &&
        applies(*candidate, common, *group_.topology, CallKind::nonblocking, no_agents_, &why_not))
      decision.use = *candidate;
  }
  decision.reason =
      "returns early (TUTTI_OVERLAP)" + (decision.is_binding ? "; " + decision.reason : std::string());
  prepared = realise(request, CallKind::blocking, early_execution(decision.use.progress.mode), decision);
  if (prepared.failure) early_plans_.insert(request, PlanCache::k_by_rules, prepared);
  return prepared;
}

}  // namespace tutti::dispatch
