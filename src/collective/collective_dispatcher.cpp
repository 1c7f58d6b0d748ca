#include "collective/collective_dispatcher.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "collective/report.hpp"

namespace tutti::collective {

using algorithm::Collective;
using algorithm::RankInvariantRequest;
using algorithm::Request;
using base::Status;
using select::CallInterface;

namespace {

/// Name of the algorithms whose nodes have leaders.
constexpr std::string_view k_two_levels = "hierarchical";

/// Keeps what was prepared, unless this rank could not do its part: the next call tries again.
void keep(PlanCache& plans, const Request& request, PlanVariant variant, PreparedCall* prepared) {
  if (auto* const call = std::get_if<TwoPhaseCall>(&prepared->work)) call->candidate = variant.number;
  if (prepared->status()) plans.insert(request, variant, *prepared);
}

}  // namespace

CollectiveDispatcher::CollectiveDispatcher(ProcessContext& process, const CommunicatorView& group,
                                           std::shared_ptr<const select::CommunicatorRules> rules)
    : process_(process),
      context_{.options = process.options(), .group = group},
      rules_(std::move(rules)),
      blocking_plans_(process.plan_budget()),
      nonblocking_plans_(process.plan_budget()),
      persistent_plans_(process.plan_budget()),
      sites_(process, group, *rules_) {}

void CollectiveDispatcher::agree_on_node_bytes(uint64_t mine, uint64_t of_agents) {
  has_node_bytes_ = true;
  std::tie(context_.node_bytes, context_.agent_bytes) = least_of(mine, of_agents);
}

std::pair<uint64_t, uint64_t> CollectiveDispatcher::least_of(uint64_t a, uint64_t b) {
  if (!memory_) memory_.emplace(sites_.endpoint(), Agreement::k_node_memory);
  select::RoundMeasurements mine;
  mine.inside.most = {~a, ~b};  // the maximum of the complements is the complement of the minimum
  memory_->begin(mine);
  memory_->wait();
  return {~memory_->all().inside.most[0], ~memory_->all().inside.most[1]};
}

bool CollectiveDispatcher::find_agents(const RankInvariantRequest& request) {
  if (context_.agent_bytes == 0) {
    context_.group.agents->open_agents();
    context_.agent_bytes = least_of(0, context_.group.agents->agent_bytes()).second;
  }
  return can_serve(request, {.leader = select::LeaderPolicy::agent}, CallInterface::blocking).is_ok();
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
      collective::may_return_early(context_.options, topology(), collective, bytes, bytes_known))
    return false;
  if (!rules_->is_native(collective, bytes, bytes_known, interface, &binding)) return false;
  if (binding_reason != nullptr) *binding_reason = binding;
  constexpr uint64_t k_least_tuned_bytes = 1024;
  // A barrier has no data, but its algorithms differ in cost all the same.
  const bool is_small = bytes_known && bytes < k_least_tuned_bytes && collective != Collective::barrier;
  if (context_.options.tuning == Options::Tuning::all && !is_small) return false;
  return interface != CallInterface::blocking || binding != nullptr ||
         sites_.passes(collective, bytes, bytes_known);
}

CallSite* CollectiveDispatcher::find_site(const RankInvariantRequest& request, CallInterface interface,
                                          uint64_t expected_starts,
                                          const std::optional<EarlyReturnChoice>& early) {
  const auto can_run = [this, interface](const RankInvariantRequest& of_site,
                                         const select::Candidate& candidate) {
    return can_serve(of_site, candidate, interface).is_ok();
  };
  if (interface == CallInterface::persistent)
    return sites_.make_for_request(request, expected_starts, can_run);
  return sites_.find(request, interface, can_run, early ? std::optional(early->candidate) : std::nullopt);
}

DispatchedCall CollectiveDispatcher::prepare(const Request& request, CallInterface interface,
                                             uint64_t expected_starts) {
  std::optional<EarlyReturnChoice> early;
  if (context_.options.least_early_bytes && interface == CallInterface::blocking)
    early = find_early_return(request);
  DispatchedCall dispatched;
  if (early && context_.options.traces_accesses) {
    dispatched.prepared = prepare_early(request, {early->candidate});
    dispatched.prepared.recorder = std::make_shared<AccessRecorder>();
    return dispatched;
  }
  if (early && (early->is_binding || context_.options.tuning == Options::Tuning::off)) {
    dispatched.prepared = prepare_early(request, *early);
    return dispatched;
  }
  if (context_.options.tuning != Options::Tuning::off)
    dispatched.site = find_site(request, interface, expected_starts, early);
  if (dispatched.site == nullptr) {
    dispatched.prepared = prepare_by_rules(request, interface);
    return dispatched;
  }
  if (interface == CallInterface::persistent) {
    // Its turns begin when it is started; until then it has the choice of the rules.
    dispatched.prepared = prepare_candidate(request, *dispatched.site, 0);
    return dispatched;
  }
  dispatched.served_call = interface == CallInterface::blocking
                               ? dispatched.site->next([&] { return find_agents(request); })
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
  prepared = prepare_decision(request, interface, decide(request, interface));
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
  // All calls that the rules leave to the native MPI share one report line, observed or not.
  prepared = prepare_if_able(request, interface,
                             site.only_watches()
                                 ? rules_->decide(request, topology(), interface)
                                 : select::Decision{.use = candidate, .reason = "run-time selection"});
  keep(plans, request, variant, &prepared);
  return prepared;
}

PreparedCall CollectiveDispatcher::prepare_hint(const Request& request, CallInterface interface,
                                                const algorithm::Choice& choice) {
  return prepare_if_able(request, interface, {.use = {.choice = choice}, .reason = "hint of the program"});
}

std::optional<EarlyReturnChoice> CollectiveDispatcher::find_early_return(
    const RankInvariantRequest& request) const {
  uint64_t bytes = 0;
  const bool is_known = select::bytes_of_interest(request, &bytes);
  if (!collective::may_return_early(context_.options, topology(), request.collective, bytes, is_known))
    return std::nullopt;
  // A user-defined operator is called by the program's thread, inside its call.
  if (algorithm::is_reduction(request.collective) && !request.is_predefined) return std::nullopt;
  return select_early_return(request, topology(), *rules_);
}

PreparedCall CollectiveDispatcher::prepare_early(const Request& request, const EarlyReturnChoice& choice) {
  select::Candidate use = choice.candidate;
  PlanVariant variant = PlanCache::k_early;
  std::shared_ptr<AccessRecorder> recorder;
  if (AccessOrderLearner* const site = choice.learns_order ? sites_.find_order(request) : nullptr) {
    AccessOrderLearner::Call call = site->next();
    use = in_order(use, call.order);
    variant.made_for = call.order.stride << 1 | (call.order.is_backward ? 1 : 0);
    recorder = std::move(call.recorder);
  }
  PreparedCall prepared;
  if (!blocking_plans_.find(request, variant, &prepared)) {
    prepared = prepare_if_able(request, CallInterface::blocking, {.use = use, .reason = "TUTTI_OVERLAP"});
    keep(blocking_plans_, request, variant, &prepared);
  }
  prepared.recorder = std::move(recorder);
  return prepared;
}

/// Threads share the memory of their container whether they wait for each other or not.
Execution CollectiveDispatcher::execution_of(CallInterface interface, select::ProgressMode mode) const {
  Execution execution = collective::execution_of(interface, mode);
  execution.has_node_memory |= context_.group.are_threads;
  return execution;
}

select::Candidate CollectiveDispatcher::with_leader(select::Candidate use) const {
  const algorithm::Algorithm* const algorithm = use.choice.algorithm;
  const bool has_leaders = algorithm != nullptr && algorithm->name == k_two_levels;
  if (has_leaders && use.leader == select::LeaderPolicy::fixed) use.leader = context_.options.leader;
  return use;
}

Status CollectiveDispatcher::can_serve(const RankInvariantRequest& request, const select::Candidate& use,
                                       CallInterface interface) const {
  const select::Candidate led = with_leader(use);
  const Execution execution = execution_of(interface, led.progress.mode);
  return backend_of(led, execution).can_serve(context_, request, led, execution);
}

select::Decision CollectiveDispatcher::decide(const RankInvariantRequest& request,
                                              CallInterface interface) const {
  return rules_->decide(request, topology(), interface,
                        [&](const select::Candidate& use) { return can_serve(request, use, interface); });
}

PreparedCall CollectiveDispatcher::prepare_if_able(const Request& request, CallInterface interface,
                                                   select::Decision decision) const {
  const RankInvariantRequest invariant = request;
  if (const Status able = can_serve(invariant, decision.use, interface); !able) {
    const std::string why = decision.reason + "; " + to_string(decision.use) + " refused: " + able.message();
    process_.log_verbose(std::string(algorithm::to_string(request.collective)) + ": " + why);
    decision = context_.group.are_threads ? decide(invariant, interface) : select::Decision{};
    decision.reason = why;
  }
  return prepare_decision(request, interface, std::move(decision));
}

PreparedCall CollectiveDispatcher::prepare_decision(const Request& request, CallInterface interface,
                                                    select::Decision decision) const {
  decision.use = with_leader(decision.use);
  PreparedCall prepared{.work = NativeCall{},
                        .execution = execution_of(interface, decision.use.progress.mode)};
  const Backend& backend = backend_of(decision.use, prepared.execution);
  prepared.operations = backend.operations_per_call;
  base::Result<CallWork> work = backend.prepare(context_, request, decision.use, prepared.execution);
  if (work) {
    prepared.work = std::move(*work);
  } else if (work.status().code() == base::Code::out_of_memory) {
    prepared.work = FailedCall{work.status()};
  } else {
    decision.reason = to_string(decision.use) + " cannot run: " + work.status().message();
    decision.use = {};
  }
  if (Report* report = process_.report()) {
    uint64_t bytes = 0;
    const bool is_known = select::bytes_of_interest(request, &bytes);
    prepared.line = report->line(request.collective, interface, Report::size_class_of(bytes, is_known),
                                 prepared.status() ? to_string(decision.use) : "native", decision.reason);
  }
  return prepared;
}

base::Result<std::shared_ptr<const engine::Plan>> CollectiveDispatcher::plan_second_part(
    const TwoPhaseCall& call, std::span<const uint64_t> passing_sizes) {
  Request request = call.request->get();
  request.passing_blocks = {.sizes = passing_sizes};
  const PlanVariant variant{.number = call.candidate, .is_second_part = true};
  PreparedCall prepared;
  if (blocking_plans_.find(request, variant, &prepared)) return std::get<ScheduledCall>(prepared.work).plan;
  auto plan = plan_of(context_, request, call.choice);
  if (!plan) return plan.status();
  prepared.work = ScheduledCall{*plan};
  blocking_plans_.insert(request, variant, prepared);
  return *plan;
}

}  // namespace tutti::collective
