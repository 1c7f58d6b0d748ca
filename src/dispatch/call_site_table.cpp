#include "dispatch/call_site_table.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "dispatch/report.hpp"
#include "select/selector.hpp"

namespace tutti::dispatch {

using algorithm::Request;
using select::CallKind;

namespace {

/// Calls that are made once or twice, while a program sets up, are no sites yet.
constexpr uint32_t k_calls_before_site = 3;

uint32_t key_of(const Request& request, CallKind kind, int size_class) {
  return (static_cast<uint32_t>(request.collective) * select::k_call_kind_count +
          static_cast<uint32_t>(kind)) *
             ReportLine::k_size_classes +
         static_cast<uint32_t>(size_class);
}

}  // namespace

CallSite* CallSiteTable::find(const Request& common, CallKind kind, const CanRun& can_run) {
  uint64_t bytes = 0;
  const bool is_known = select::bytes_of_interest(common, &bytes);
  const uint32_t key = key_of(common, kind, Report::size_class_of(bytes, is_known));
  auto at = slots_.find(key);
  if (at == slots_.end()) {
    const std::lock_guard lock(growth_);
    at = slots_.try_emplace(key).first;
  }
  Slot& slot = at->second;
  if (slot.calls < k_calls_before_site && ++slot.calls == k_calls_before_site) {
    auto site = make(common, kind, 0, can_run);
    const std::lock_guard lock(growth_);
    slot.site = std::move(site);
  }
  return slot.site.get();
}

CallSite* CallSiteTable::make_for_request(const Request& common, uint64_t expected_starts,
                                          const CanRun& can_run) {
  auto site = make(common, CallKind::persistent, expected_starts, can_run);
  if (site == nullptr) return nullptr;
  const std::lock_guard lock(growth_);
  return of_requests_.emplace_back(std::move(site)).get();
}

AgreementEndpoint& CallSiteTable::endpoint() {
  if (!endpoint_) endpoint_.emplace(services_, group_);
  return *endpoint_;
}

std::unique_ptr<CallSite> CallSiteTable::make(const Request& common, CallKind kind, uint64_t expected_calls,
                                              const CanRun& can_run) {
  const Options& options = services_.options();
  const topology::Topology& topology = *group_.topology;
  const select::Decision decision = rules_.decide(common, topology, kind);
  const bool tunes_all = options.tuning == Options::Tuning::all;
  const bool is_left_native = decision.is_native() && (!tunes_all || kind == CallKind::persistent);
  if (decision.is_binding || is_left_native || site_count_ == Agreement::k_most_sites) return nullptr;

  const std::vector<select::Progress> in_call{select::Progress{}};
  const select::Candidate agents{.leader = select::LeaderPolicy::agent};
  std::string why_not;
  auto candidates = select::candidates_for(
      common, topology,
      {.rule = decision.use,
       .modes = kind == CallKind::blocking ? in_call : options.modes,
       .has_agents =
           applies(agents, common, topology, kind, rules_.no_agents(), &why_not) && can_run(common, agents),
       .can_run = [&](const algorithm::Choice& choice) { return can_run(common, {.choice = choice}); }});
  // A persistent request stays what it was made as.
  if (kind == CallKind::persistent) std::erase_if(candidates, std::mem_fn(&select::Candidate::is_native));
  if (candidates.size() < 2) return nullptr;

  select::SiteShape shape{.collective = common.collective,
                          .kind = kind,
                          .ranks = static_cast<uint64_t>(topology.rank_count()),
                          .nodes = static_cast<uint64_t>(topology.node_count()),
                          .ranks_per_node = static_cast<uint64_t>(topology.largest_node_size())};
  shape.bytes_known = select::bytes_of_interest(common, &shape.bytes);
  const uint32_t number = site_count_++;
  const uint64_t seed = uint64_t{group_.id} << 16 | number;
  return std::make_unique<CallSite>(
      endpoint(), number, shape, std::move(candidates),
      select::TunerOptions{
          .budget_permille = options.tuning_budget_permille, .expected_calls = expected_calls, .seed = seed});
}

}  // namespace tutti::dispatch
