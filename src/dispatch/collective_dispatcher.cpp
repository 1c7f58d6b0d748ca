#include "dispatch/collective_dispatcher.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/calls.hpp"
#include "algorithm/algorithm.hpp"
#include "dispatch/rank_invariant.hpp"
#include "dispatch/report.hpp"

namespace tutti::dispatch {

using algorithm::Collective;
using algorithm::Request;
using base::Status;
using select::CallInterface;

namespace {

/// Copy of the request with the offsets of its blocks; blocks without offsets are contiguous.
std::shared_ptr<const algorithm::OwnedRequest> with_offsets(Request request) {
  std::vector<uint64_t> offsets;
  if (request.blocks.offsets.empty()) {
    const auto& sizes = request.blocks.sizes;
    std::exclusive_scan(sizes.begin(), sizes.end(), std::back_inserter(offsets), uint64_t{0});
    request.blocks.offsets = offsets;
  }
  return std::make_shared<const algorithm::OwnedRequest>(request);
}

void keep(PlanCache& plans, const Request& request, PlanVariant variant, PreparedCall* prepared) {
  if (prepared->two_phase) prepared->two_phase->candidate = variant.number;
  if (prepared->status) plans.insert(request, variant, *prepared);
}

}  // namespace

CollectiveDispatcher::CollectiveDispatcher(ProcessContext& process, const CommunicatorView& group,
                                           std::shared_ptr<const select::CommunicatorRules> rules)
    : process_(process),
      group_(group),
      rules_(std::move(rules)),
      blocking_plans_(process.plan_budget()),
      nonblocking_plans_(process.plan_budget()),
      persistent_plans_(process.plan_budget()),
      sites_(process, group, *rules_),
      no_agents_(rules_->no_agents()) {}

void CollectiveDispatcher::agree_on_node_bytes(uint64_t mine, uint64_t of_agents) {
  has_node_bytes_ = true;
  std::tie(node_bytes_, agent_bytes_) = least_of(mine, of_agents);
}

std::pair<uint64_t, uint64_t> CollectiveDispatcher::least_of(uint64_t a, uint64_t b) {
  if (!memory_) memory_.emplace(sites_.endpoint(), Agreement::k_node_memory);
  select::RoundMeasurements mine;
  mine.inside.most = {~a, ~b};  // the maximum of the complements is the complement of the minimum
  memory_->begin(mine);
  memory_->wait();
  return {~memory_->all().inside.most[0], ~memory_->all().inside.most[1]};
}

bool CollectiveDispatcher::find_agents(const Request& common) {
  if (agent_bytes_ == 0) {
    group_.agents->open_agents();
    agent_bytes_ = least_of(0, group_.agents->agent_bytes()).second;
  }
  if (agent_bytes_ == 0) return false;
  no_agents_.clear();
  return call_for_agents(common, {}).is_ok();
}

void CollectiveDispatcher::on_native_completed(const CallEvent& event, bool took_place) {
  if (event.interface != CallInterface::blocking) return;
  const DispatchedCall* const dispatched = event.dispatched;
  if (took_place)
    sites_.count_native(event.collective, event.bytes, event.bytes_known,
                        dispatched == nullptr ? nullptr : dispatched->site);
  else if (dispatched != nullptr)
    sites_.take_back(event.collective, event.bytes, event.bytes_known, *dispatched);
}

PlanCache& CollectiveDispatcher::plans_of(CallInterface interface) {
  if (interface == CallInterface::blocking) return blocking_plans_;
  return interface == CallInterface::nonblocking ? nonblocking_plans_ : persistent_plans_;
}

bool CollectiveDispatcher::goes_native(Collective collective, uint64_t bytes, bool bytes_known,
                                       CallInterface interface, const std::string** binding_reason) const {
  const std::string* binding = nullptr;
  if (interface == CallInterface::blocking &&
      dispatch::may_return_early(process_.options(), *group_.topology, collective, bytes, bytes_known))
    return false;
  if (!rules_->is_native(collective, bytes, bytes_known, interface, &binding)) return false;
  if (binding_reason != nullptr) *binding_reason = binding;
  constexpr uint64_t k_least_tuned_bytes = 1024;
  // A barrier has no data, but its algorithms differ in cost all the same.
  const bool is_small = bytes_known && bytes < k_least_tuned_bytes && collective != Collective::barrier;
  if (process_.options().tuning == Options::Tuning::all && !is_small) return false;
  return interface != CallInterface::blocking || binding != nullptr ||
         sites_.passes(collective, bytes, bytes_known);
}

DispatchedCall CollectiveDispatcher::prepare(const Request& request, CallInterface interface,
                                             uint64_t expected_starts) {
  const auto can_run = [this, interface](const Request& common, const select::Candidate& candidate) {
    if (candidate.is_by_agents()) return call_for_agents(common, candidate.choice).is_ok();
    const Execution execution = execution_of(interface, candidate.progress.mode);
    std::string why_not;
    return applies(candidate.choice, common, *group_.topology, interface, &why_not) &&
           check_memory(common, candidate.choice, execution.has_node_memory).is_ok();
  };
  const std::optional<EarlyReturnChoice> early = find_early_return(request, interface);
  DispatchedCall dispatched;
  if (early && process_.options().traces_accesses) {
    dispatched.prepared = prepare_early(request, {early->candidate});
    dispatched.prepared.recorder = std::make_shared<AccessRecorder>();
    return dispatched;
  }
  if (early && (early->is_binding || process_.options().tuning == Options::Tuning::off)) {
    dispatched.prepared = prepare_early(request, *early);
    return dispatched;
  }
  const bool is_persistent = interface == CallInterface::persistent;
  if (process_.options().tuning != Options::Tuning::off)
    dispatched.site = is_persistent
                          ? sites_.make_for_request(rank_invariant_part(request), expected_starts, can_run)
                          : sites_.find(rank_invariant_part(request), interface, can_run,
                                        early ? std::optional(early->candidate) : std::nullopt);
  if (dispatched.site == nullptr) {
    dispatched.prepared = prepare_by_rules(request, interface);
    return dispatched;
  }
  if (is_persistent) {  // its turns begin when it is started; until then it has the choice of the rules
    dispatched.prepared = prepare_candidate(request, *dispatched.site, 0);
    return dispatched;
  }
  dispatched.served_call =
      interface == CallInterface::blocking
          ? dispatched.site->next([&] { return find_agents(rank_invariant_part(request)); })
          : dispatched.site->next_at_once();
  if (!dispatched.served_call) return dispatched;
  const uint32_t number = dispatched.served_call->candidate;
  const bool is_early = early && dispatched.site->candidate(number) == early->candidate;
  dispatched.prepared =
      is_early ? prepare_early(request, *early) : prepare_candidate(request, *dispatched.site, number);
  return dispatched;
}

PreparedCall CollectiveDispatcher::prepare_by_rules(const Request& request, CallInterface interface) {
  PlanCache& plans = plans_of(interface);
  PreparedCall prepared;
  if (plans.find(request, PlanCache::k_by_rules, &prepared)) return prepared;
  prepared = build_plan(request, interface,
                        rules_->decide(rank_invariant_part(request), *group_.topology, interface));
  keep(plans, request, PlanCache::k_by_rules, &prepared);
  return prepared;
}

PreparedCall CollectiveDispatcher::prepare_candidate(const Request& request, const CallSite& site,
                                                     uint32_t number) {
  const CallInterface interface = site.shape().interface;
  PlanCache& plans = plans_of(interface);
  const select::Candidate& candidate = site.candidate(number);
  const auto late_rank = candidate.is_for_late_rank() ? candidate.choice.parameters[0] : 0;
  const PlanVariant variant{.number = number, .made_for = late_rank, .leader = candidate.leader};
  PreparedCall prepared;
  if (plans.find(request, variant, &prepared)) return prepared;
  select::Decision decision{.use = candidate, .reason = "run-time selection"};
  // All calls that the rules leave to the native MPI share one report line, observed or not.
  if (site.only_watches())
    decision = rules_->decide(rank_invariant_part(request), *group_.topology, interface);
  std::string why_not;  // can_run has checked another request of this size class
  if (!applies(candidate, rank_invariant_part(request), *group_.topology, interface, no_agents_, &why_not))
    decision = {.use = {}, .reason = "run-time selection; refused: " + why_not};
  prepared = build_plan(request, interface, std::move(decision));
  keep(plans, request, variant, &prepared);
  return prepared;
}

PreparedCall CollectiveDispatcher::prepare_hint(const Request& request, CallInterface interface,
                                                const algorithm::Choice& choice) {
  select::Decision decision{.use = {.choice = choice}, .reason = "hint of the program"};
  std::string why_not;
  if (!applies(choice, rank_invariant_part(request), *group_.topology, interface, &why_not))
    decision = {.use = {}, .reason = "hint of the program; refused: " + why_not};
  return build_plan(request, interface, std::move(decision));
}

std::optional<EarlyReturnChoice> CollectiveDispatcher::find_early_return(const Request& request,
                                                                         CallInterface interface) const {
  uint64_t bytes = 0;
  const bool is_known = select::bytes_of_interest(request, &bytes);
  if (interface != CallInterface::blocking ||
      !dispatch::may_return_early(process_.options(), *group_.topology, request.collective, bytes, is_known))
    return std::nullopt;
  // A user-defined operator is called by the program's thread, inside its call.
  if (algorithm::is_reduction(request.collective) && !request.is_predefined) return std::nullopt;
  return select_early_return(rank_invariant_part(request), *group_.topology, *rules_);
}

PreparedCall CollectiveDispatcher::prepare_early(const Request& request, const EarlyReturnChoice& choice) {
  select::Candidate use = choice.candidate;
  PlanVariant variant = PlanCache::k_early;
  std::shared_ptr<AccessRecorder> recorder;
  if (AccessOrderLearner* const site =
          choice.learns_order ? sites_.find_order(rank_invariant_part(request)) : nullptr) {
    AccessOrderLearner::Call call = site->next();
    use = in_order(use, call.order);
    variant.made_for = call.order.stride << 1 | (call.order.is_backward ? 1 : 0);
    recorder = std::move(call.recorder);
  }
  PreparedCall prepared;
  if (!blocking_plans_.find(request, variant, &prepared)) {
    prepared = build_plan(request, CallInterface::blocking, {.use = use, .reason = "TUTTI_OVERLAP"});
    if (prepared.status) blocking_plans_.insert(request, variant, prepared);
  }
  prepared.recorder = std::move(recorder);
  return prepared;
}

PreparedCall CollectiveDispatcher::build_plan(const Request& request, CallInterface interface,
                                              select::Decision decision) {
  PreparedCall prepared{.execution = execution_of(interface, decision.use.progress.mode)};
  const Status planned = plan(request, decision.use, &prepared);
  if (planned.code() == base::Code::out_of_memory) {
    prepared.status = planned;  // the other ranks have enough memory and wait for this one
  } else if (!planned) {
    decision.reason = to_string(decision.use) + " cannot run: " + planned.message();
    decision.use = {};
    process_.log_verbose(std::string(algorithm::to_string(request.collective)) + ": " + decision.reason);
  }
  if (Report* report = process_.report()) {
    uint64_t bytes = 0;
    const bool is_known = select::bytes_of_interest(request, &bytes);
    prepared.line = report->line(request.collective, interface, Report::size_class_of(bytes, is_known),
                                 prepared.status ? to_string(decision.use) : "native", decision.reason);
  }
  return prepared;
}

Status CollectiveDispatcher::plan(const Request& request, const select::Candidate& use,
                                  PreparedCall* prepared) const {
  if (use.is_native()) return {};
  if (prepared->execution.returns_early && !may_return_early(request.collective))
    return Status::not_supported("calls do not return early here (TUTTI_OVERLAP)");
  if (use.is_by_agents()) {
    auto call = call_for_agents(request, use.choice);
    if (call) prepared->agents = *call;
    return call.status();
  }
  if (Status enough =
          check_memory(rank_invariant_part(request), use.choice, prepared->execution.has_node_memory);
      !enough)
    return enough;
  if (use.choice.algorithm->forwarding != nullptr) return plan_first_part(request, use.choice, prepared);
  auto plan = make_plan(request, use.choice);
  if (plan) prepared->plan = std::move(*plan);
  return plan.status();
}

Status CollectiveDispatcher::plan_first_part(const Request& request, const algorithm::Choice& choice,
                                             PreparedCall* prepared) const {
  if (!prepared->execution.waits_inside)
    return Status::not_supported("the sizes of what passes through a rank take a call that waits for them");
  const algorithm::BlockForwarding& forwarding = *choice.algorithm->forwarding;
  const topology::Topology& topology = *group_.topology;
  auto sizes = forwarding.build_sizes(request, group_.rank, topology, choice.parameters);
  if (!sizes) return sizes.status();
  auto plan = engine::Plan::make(std::move(*sizes), {.window = process_.options().window});
  if (!plan) return plan.status();
  prepared->plan = std::move(*plan);
  prepared->two_phase = {
      .choice = choice,
      .request = std::make_shared<const algorithm::OwnedRequest>(request),
      .forwarded_blocks = forwarding.forwarded_blocks(request, group_.rank, topology, choice.parameters)};
  return {};
}

base::Result<std::shared_ptr<const engine::Plan>> CollectiveDispatcher::plan_second_part(
    const TwoPhaseCall& call, std::span<const uint64_t> passing_sizes) {
  Request request = call.request->get();
  request.passing_blocks = {.sizes = passing_sizes};
  const PlanVariant variant{.number = call.candidate, .is_second_part = true};
  PreparedCall prepared;
  if (blocking_plans_.find(request, variant, &prepared)) return prepared.plan;
  auto plan = make_plan(request, call.choice);
  if (!plan) return plan.status();
  prepared.plan = std::move(*plan);
  blocking_plans_.insert(request, variant, prepared);
  return prepared.plan;
}

base::Result<AgentCall> CollectiveDispatcher::call_for_agents(const Request& request,
                                                              const algorithm::Choice& choice) const {
  AgentCall call{.whole = agent::describe(request, *group_.topology, agent_bytes_, choice),
                 .in_place = request.in_place,
                 .parts = nullptr};
  if (agent_bytes_ == 0) return Status::not_supported("a node has no memory for its agent");
  if (!agent::fits(call.whole)) return Status::not_supported("it takes more than an agent's memory");
  if (!request.blocks.is_uniform()) call.parts = with_offsets(request);
  return call;
}

/// Any error except out_of_memory occurs on all ranks, because builders refuse requests by rank-invariant data.
base::Result<std::shared_ptr<const engine::Plan>> CollectiveDispatcher::make_plan(
    const Request& request, const algorithm::Choice& choice) const {
  auto schedule = choice.algorithm->build(request, group_.rank, *group_.topology, choice.parameters);
  if (!schedule) return schedule.status();
  return engine::Plan::make(std::move(*schedule), {.window = process_.options().window});
}

/// Checks that every node has the memory that a choice needs. A rank that is alone on its node has it, unless the call
/// does not wait inside. All ranks check all nodes and so get the same result. The need of a node depends on its size
/// and on whether it contains the root: one node of each kind is checked. Schedules that depend on sizes that only some
/// ranks know use no node memory.
Status CollectiveDispatcher::check_memory(const Request& common, const algorithm::Choice& choice,
                                          bool has_node_memory) const {
  const uint64_t node_bytes = has_node_memory ? node_bytes_ : 0;
  if (node_bytes == UINT64_MAX) return {};
  const topology::Topology& topology = *group_.topology;
  std::vector<std::pair<size_t, bool>> seen;
  for (int32_t node = 0; node < topology.node_count(); ++node) {
    const std::pair<size_t, bool> node_kind{topology.ranks_of(node).size(),
                                            topology.node_of(common.root) == node};
    if ((has_node_memory && node_kind.first < 2) || !common.blocks.known ||
        std::find(seen.begin(), seen.end(), node_kind) != seen.end())
      continue;
    seen.push_back(node_kind);
    const auto schedule =
        choice.algorithm->build(common, topology.leader_of(node), topology, choice.parameters);
    if (!schedule) return schedule.status();
    if (schedule->node_bytes() > node_bytes)
      return Status::not_supported("it takes " + std::to_string(schedule->node_bytes()) +
                                   " bytes of a node's shared memory, where " + std::to_string(node_bytes) +
                                   " are available");
  }
  return {};
}

}  // namespace tutti::dispatch
