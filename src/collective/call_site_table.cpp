#include "collective/call_site_table.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "agent/calls.hpp"
#include "agent/layout.hpp"
#include "algorithm/parts_in_access_order.hpp"
#include "collective/early_return_policy.hpp"
#include "collective/report.hpp"
#include "select/selector.hpp"

namespace tutti::collective {

using algorithm::RankInvariantRequest;
using select::CallInterface;

namespace {

/// Calls that a program makes once or twice during its setup do not become sites.
constexpr uint32_t k_calls_before_site = 3;
/// Number of native calls before the first one is observed: in fewer calls, late ranks cannot have cost more than the
/// observation does.
constexpr uint32_t k_calls_before_watching = 64;

uint32_t key_of(algorithm::Collective collective, CallInterface interface, int size_class, bool is_watched) {
  const uint32_t shape =
      static_cast<uint32_t>(collective) * select::k_call_interface_count + static_cast<uint32_t>(interface);
  return (shape * ReportLine::k_size_classes + static_cast<uint32_t>(size_class)) * 2 + (is_watched ? 1 : 0);
}

struct Size {
  explicit Size(const RankInvariantRequest& request) : is_known(select::bytes_of_interest(request, &bytes)) {}
  uint64_t bytes = 0;
  bool is_known;
};

/// The waits of blocking calls between nodes; nullopt for all other calls, whose arrival times are not exchanged.
std::optional<arrival::Waits> waits_of(const RankInvariantRequest& request, CallInterface interface,
                                       const topology::Topology& topology) {
  if (interface != CallInterface::blocking || topology.node_count() < 2) return std::nullopt;
  return arrival::waits_of(algorithm::to_string(request.collective));
}

/// Bit i is set if candidate i satisfies `is`.
template <class Is>
uint32_t bits_of(const std::vector<select::Candidate>& candidates, Is is) {
  uint32_t bits = 0;
  for (size_t i = 0; i < candidates.size(); ++i) bits |= uint32_t{is(candidates[i])} << i;
  return bits;
}

uint32_t agents_among(const std::vector<select::Candidate>& candidates) {
  return bits_of(candidates, [](const auto& candidate) { return candidate.is_by_agents(); });
}

uint32_t algorithms_for_late_rank_among(const std::vector<select::Candidate>& candidates) {
  return bits_of(candidates, [](const auto& candidate) { return candidate.is_for_late_rank(); });
}

/// The last rank matters to the order of a tree only if the transfer of a message takes longer than its start.
bool is_long(const RankInvariantRequest& request) {
  constexpr uint64_t k_least_bytes = 64 << 10;
  const Size size(request);
  return size.is_known && size.bytes >= k_least_bytes;
}

}  // namespace

CallSiteTable::CallSiteTable(ProcessContext& process, const CommunicatorView& group,
                             const select::CommunicatorRules& rules)
    : process_(process), group_(group), rules_(rules) {
  if (process.options().tuning != Options::Tuning::on || !looks_for_late(CallInterface::blocking)) return;
  passing_.resize(static_cast<size_t>(algorithm::k_collective_count) * ReportLine::k_size_classes);
  for (int i = 0; i < algorithm::k_collective_count; ++i) {
    const auto collective = static_cast<algorithm::Collective>(i);
    if (!agent::is_served(collective)) continue;
    const size_t first = passing_index(collective, 0, true);
    std::fill_n(passing_.begin() + static_cast<ptrdiff_t>(first), ReportLine::k_size_classes,
                PassingCalls{k_calls_before_watching});
  }
}

size_t CallSiteTable::passing_index(algorithm::Collective collective, uint64_t bytes, bool bytes_known) {
  return static_cast<size_t>(collective) * ReportLine::k_size_classes +
         static_cast<size_t>(Report::size_class_of(bytes, bytes_known));
}

bool CallSiteTable::only_watches(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                                 CallInterface interface) const {
  return interface == CallInterface::blocking && process_.options().tuning == Options::Tuning::on &&
         !may_return_early(process_.options(), *group_.topology, collective, bytes, bytes_known) &&
         rules_.is_native(collective, bytes, bytes_known, interface);
}

bool CallSiteTable::only_watches(const RankInvariantRequest& request, CallInterface interface) const {
  const Size size(request);
  return only_watches(request.collective, size.bytes, size.is_known, interface);
}

CallSiteTable::Slot& CallSiteTable::slot_of(const RankInvariantRequest& request, CallInterface interface) {
  const Size size(request);
  const int size_class = Report::size_class_of(size.bytes, size.is_known);
  const uint32_t key = key_of(request.collective, interface, size_class, only_watches(request, interface));
  const auto at = slots_.find(key);
  if (at != slots_.end()) return at->second;
  const std::lock_guard lock(growth_);
  return slots_[key];
}

void CallSiteTable::stop_watching(const RankInvariantRequest& request) {
  if (passing_.empty()) return;
  const Size size(request);
  passing_[passing_index(request.collective, size.bytes, size.is_known)].left = PassingCalls::k_all;
}

CallSite* CallSiteTable::find(const RankInvariantRequest& request, CallInterface interface,
                              const CanRun& can_run, const std::optional<select::Candidate>& early) {
  Slot& slot = slot_of(request, interface);
  if (slot.calls < k_calls_before_site && ++slot.calls == k_calls_before_site) {
    auto site = make(request, interface, 0, can_run, early);
    if (site == nullptr && only_watches(request, interface)) stop_watching(request);
    const std::lock_guard lock(growth_);
    slot.site = std::move(site);
  }
  return slot.site.get();
}

void CallSiteTable::count_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                                 CallSite* site) {
  if (passing_.empty()) return;
  // Any other site counts every call, even if it has chosen the native MPI.
  if (site != nullptr && !only_watches(collective, bytes, bytes_known, CallInterface::blocking)) return;
  PassingCalls& passing = passing_[passing_index(collective, bytes, bytes_known)];
  if (!passing.is_any() && site != nullptr)
    passing.left = site->skip_native_calls();
  else
    passing.count();
}

void CallSiteTable::take_back(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                              const DispatchedCall& dispatched) {
  if (dispatched.site != nullptr) return dispatched.site->take_back(*dispatched.served_call);
  const bool is_watched = only_watches(collective, bytes, bytes_known, CallInterface::blocking);
  const int size_class = Report::size_class_of(bytes, bytes_known);
  const auto at = slots_.find(key_of(collective, CallInterface::blocking, size_class, is_watched));
  if (at == slots_.end()) return;
  uint32_t& calls = at->second.calls;
  if (calls > 0 && calls < k_calls_before_site) --calls;
}

AccessOrderLearner* CallSiteTable::find_order(const RankInvariantRequest& request) {
  const Size size(request);
  const int size_class = Report::size_class_of(size.bytes, size.is_known);
  const auto [at, is_new] =
      orders_.try_emplace(key_of(request.collective, CallInterface::blocking, size_class, false));
  if (const auto number = is_new ? endpoint().take_number() : std::nullopt)
    at->second =
        std::make_unique<AccessOrderLearner>(endpoint(), *number, algorithm::blocks_of_result(request));
  return at->second.get();
}

CallSite* CallSiteTable::make_for_request(const RankInvariantRequest& request, uint64_t expected_starts,
                                          const CanRun& can_run) {
  auto site = make(request, CallInterface::persistent, expected_starts, can_run);
  if (site == nullptr) return nullptr;
  const std::lock_guard lock(growth_);
  return of_requests_.emplace_back(std::move(site)).get();
}

AgreementEndpoint& CallSiteTable::endpoint() {
  if (!endpoint_) endpoint_.emplace(process_, group_);
  return *endpoint_;
}

bool CallSiteTable::looks_for_late(CallInterface interface) const {
  return interface == CallInterface::blocking && group_.topology->node_count() > 1 &&
         group_.agents != nullptr && group_.agents->may_have_agents();
}

bool CallSiteTable::could_use_agents(const RankInvariantRequest& request, CallInterface interface) const {
  std::string why_not;
  return looks_for_late(interface) && agent::serves(request, *group_.topology, &why_not) &&
         agent::may_be_quick(request, *group_.topology);
}

std::vector<select::Candidate> CallSiteTable::candidates(const RankInvariantRequest& request,
                                                         CallInterface interface,
                                                         const select::Candidate& rule,
                                                         const CanRun& can_run) const {
  const topology::Topology& topology = *group_.topology;
  const std::vector<select::Progress> in_call{select::Progress{}};
  const select::Candidate agents{.leader = select::LeaderPolicy::agent};
  std::string why_not;
  const bool has_agents =
      applies(agents, request, topology, interface, rules_.no_agents(), &why_not) && can_run(request, agents);
  select::CandidateOptions list{
      .rule = rule,
      .modes = interface == CallInterface::blocking ? in_call : process_.options().modes,
      .has_agents = has_agents || could_use_agents(request, interface),
      .has_late_rank = looks_for_late(interface) && is_long(request),
      .can_run = [&](const algorithm::Choice& choice) { return can_run(request, {.choice = choice}); }};
  if (only_watches(request, interface)) list.most = 2;
  auto all = select::candidates_for(request, topology, list);
  // A persistent request that Tutti serves cannot change to the native MPI.
  if (interface == CallInterface::persistent || group_.are_threads)
    std::erase_if(all, std::mem_fn(&select::Candidate::is_native));
  return all;
}

/// At most three, because every trial lasts until the next call of the site.
std::vector<select::Candidate> CallSiteTable::early_candidates(const RankInvariantRequest& request,
                                                               const select::Candidate& early,
                                                               const select::Candidate& rule,
                                                               const CanRun& can_run) const {
  std::vector<select::Candidate> all;
  for (const select::Candidate& candidate : {rule, early, select::Candidate{}})
    if (std::ranges::find(all, candidate) == all.end() &&
        (candidate.is_native() || can_run(request, candidate)))
      all.push_back(candidate);
  return all;
}

std::unique_ptr<CallSite> CallSiteTable::make(const RankInvariantRequest& request, CallInterface interface,
                                              uint64_t expected_calls, const CanRun& can_run,
                                              const std::optional<select::Candidate>& early) {
  const Options& options = process_.options();
  const topology::Topology& topology = *group_.topology;
  const select::Decision decision = rules_.decide(request, topology, interface);
  const bool could_have_agents = !early && could_use_agents(request, interface);
  const bool tunes_all = options.tuning == Options::Tuning::all;
  const bool is_tuned = early || !decision.is_native() ||
                        (tunes_all && interface != CallInterface::persistent) ||
                        (only_watches(request, interface) && could_have_agents);
  const bool may_hold_back =
      interface == CallInterface::blocking ||
      (!group_.are_threads && (interface == CallInterface::persistent || group_.has_twin));
  if (decision.is_binding || !is_tuned || !may_hold_back) return nullptr;
  auto all = early ? early_candidates(request, *early, decision.use, can_run)
                   : candidates(request, interface, decision.use, can_run);
  if (all.size() < 2) return nullptr;
  const std::optional<uint32_t> number = endpoint().take_number();
  if (!number) return nullptr;

  select::SiteShape shape{.collective = request.collective,
                          .interface = interface,
                          .ranks = static_cast<uint64_t>(topology.rank_count()),
                          .nodes = static_cast<uint64_t>(topology.node_count()),
                          .ranks_per_node = static_cast<uint64_t>(topology.largest_node_size())};
  shape.bytes_known = select::bytes_of_interest(request, &shape.bytes);
  const uint64_t seed = uint64_t{group_.id} << 16 | *number;
  const select::TunerOptions tuner{
      .budget_permille = options.tuning_budget_permille,
      .expected_calls = expected_calls,
      .seed = seed,
      .may_wait = interface == CallInterface::blocking && !early,
      .waits = early || !options.knows_arrivals ? std::nullopt : waits_of(request, interface, topology),
      .disabled = could_have_agents ? agents_among(all) : 0,
      .for_late_rank = algorithms_for_late_rank_among(all)};
  return std::make_unique<CallSite>(endpoint(), *number, shape, std::move(all), tuner, early.has_value());
}

}  // namespace tutti::collective
