#include "simulate/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "algorithm/block_forwarding.hpp"
#include "simulate/agents.hpp"

namespace tutti::simulate {

using algorithm::Request;
using arrival::Leader;
using base::Result;
using base::Status;
using schedule::Rank;
using schedule::Schedule;
using topology::Topology;

/// The ranks of one call, and with leader policy `agent` the agents of their nodes.
class Ensemble final : public Cast {
 public:
  Ensemble(const Experiment& experiment, const Topology& topology)
      : experiment_(experiment), topology_(topology) {}

  Status prepare() {
    std::string why_not;
    const algorithm::UniformCall& call = experiment_.call;
    if (call.root < 0 || call.root >= call.rank_count)
      return Status::invalid_argument(fmt::format("root {}: there are {} ranks", call.root, call.rank_count));
    if (Status possible = arrival::check(experiment_.arrivals, ranks()); !possible) return possible;
    if (by_agents()) {
      auto made = AgentCall::make(request(call.root), topology_, experiment_.choice);
      if (!made) return made.status();
      agents_.emplace(*made);
      return {};
    }
    if (experiment_.choice.algorithm->applies(request(call.root), topology_, experiment_.choice.parameters,
                                              &why_not))
      return {};
    return Status::not_supported(
        fmt::format("{} does not apply here: {}", to_string(experiment_.choice), why_not));
  }

  /// `arrivals_ps`: by rank; replaces the experiment's pattern.
  void begin_call(uint32_t number, std::span<const uint64_t> arrivals_ps = {}) {
    number_ = number;
    arrivals_ps_ = arrivals_ps;
    first_.assign(node_count(), k_none);
  }

  uint32_t ranks() const { return static_cast<uint32_t>(topology_.rank_count()); }
  uint32_t actor_count() const override { return ranks() + (by_agents() ? node_count() : 0); }
  uint32_t node_count() const override { return static_cast<uint32_t>(topology_.node_count()); }
  uint32_t node_of(Actor actor) const override {
    return actor < ranks() ? static_cast<uint32_t>(topology_.node_of(static_cast<Rank>(actor)))
                           : actor - ranks();
  }
  uint64_t arrival_ps(Actor actor) const override {
    if (actor >= ranks()) return 0;  // agents are always available
    if (!arrivals_ps_.empty()) return arrivals_ps_[actor];
    const double ns =
        arrival::delay_ns(experiment_.arrivals, experiment_.seed, {.rank = actor, .ranks = ranks()}, number_);
    return static_cast<uint64_t>(std::llround(ns * 1000));
  }
  Actor leader_of(uint32_t node) const override {
    if (experiment_.leader == Leader::first) return first_[node];
    return static_cast<Actor>(topology_.leader_of(static_cast<int32_t>(node)));
  }

  Result<const Shape*> shape_of(Actor actor) override {
    const uint64_t kind = kind_of(actor);
    if (const auto known = known_.find(kind); known != known_.end()) return known->second;
    const Result<Schedule> built = schedule_of(actor);
    if (!built) return built.status();
    return known_[kind] = shapes_.intern(Shape(*built, actor, actor_count()));
  }

 private:
  bool by_agents() const { return experiment_.leader == Leader::agent; }
  Request request(Rank rank) const { return algorithm::request_of(experiment_.call, rank); }

  Result<Schedule> schedule_of(Actor actor) {
    const auto rank = static_cast<Rank>(actor);
    if (by_agents())
      return actor < ranks() ? agents_->of_rank(request(rank), rank)
                             : agents_->of_agent(static_cast<int32_t>(actor - ranks()));
    return algorithm::build_whole(experiment_.choice, request(rank), rank,
                                  competes() ? led_by(leader_for(actor)) : topology_);
  }

  bool competes() const { return experiment_.leader == Leader::first; }

  /// Actors with the same number execute the same schedule in every call.
  uint64_t kind_of(Actor actor) {
    const bool are_alike =
        !by_agents() && experiment_.choice.algorithm->is_the_same_for_all && node_count() == ranks();
    if (are_alike) return 0;
    return competes() ? uint64_t{leader_for(actor)} << 32 | actor : actor;
  }

  /// Leader of the node of `actor`, which has arrived: the first actor to arrive; on the root's node the root
  /// (hierarchy.hpp).
  Actor leader_for(Actor actor) {
    Actor& first = first_[node_of(actor)];
    if (first != k_none) return first;
    const Rank root = experiment_.call.root;
    const bool is_roots = algorithm::is_rooted(experiment_.call.collective) &&
                          topology_.node_of(root) == topology_.node_of(static_cast<Rank>(actor));
    return first = is_roots ? static_cast<Actor>(root) : actor;
  }

  const Topology& led_by(Actor leader) {
    const auto rank = static_cast<Rank>(leader);
    const auto found = competing_.find(rank);
    return found != competing_.end() ? found->second
                                     : competing_.emplace(rank, topology_.with_leader(rank)).first->second;
  }

  const Experiment& experiment_;
  const Topology& topology_;
  std::optional<AgentCall> agents_;
  uint32_t number_ = 0;
  std::span<const uint64_t> arrivals_ps_;
  std::vector<Actor> first_;            // first actor to arrive, by node
  std::map<Rank, Topology> competing_;  // by leader
  ShapeTable shapes_;
  std::unordered_map<uint64_t, const Shape*> known_;  // by kind_of()
};

namespace {

void add(Counters& sum, const Counters& more) {
  sum.events += more.events;
  sum.tasks += more.tasks;
  sum.messages += more.messages;
  sum.bytes += more.bytes;
  sum.local_messages += more.local_messages;
  sum.local_bytes += more.local_bytes;
  sum.global_bytes += more.global_bytes;
}

/// Accumulates the figures of the ranks over the calls.
class Sums {
 public:
  explicit Sums(uint32_t ranks) : inside_ps_(ranks) {}

  void add_call(const Ensemble& ensemble, const SimulationOutcome& outcome) {
    uint64_t first = UINT64_MAX, last = 0, end = 0;
    for (uint32_t rank = 0; rank < inside_ps_.size(); ++rank) {
      const uint64_t arrived = ensemble.arrival_ps(rank);
      inside_ps_[rank] += outcome.ends_ps[rank] - arrived;
      first = std::min(first, arrived);
      last = std::max(last, arrived);
      end = std::max(end, outcome.ends_ps[rank]);
    }
    after_last_ps_ += end - std::min(last, end);
    whole_ps_ += end - first;
    add(counters_, outcome.counters);
    ++calls_;
  }

  Figures figures() const {
    Figures figures{.counters = counters_};
    const double ps_to_ns = 1e-3 / std::max(calls_, 1u);
    for (const uint64_t inside : inside_ps_) {
      figures.mean_ns += static_cast<double>(inside) * ps_to_ns / static_cast<double>(inside_ps_.size());
      figures.slowest_ns = std::max(figures.slowest_ns, static_cast<double>(inside) * ps_to_ns);
    }
    figures.after_last_ns = static_cast<double>(after_last_ps_) * ps_to_ns;
    figures.whole_ns = static_cast<double>(whole_ps_) * ps_to_ns;
    return figures;
  }

 private:
  std::vector<uint64_t> inside_ps_;
  uint64_t after_last_ps_ = 0, whole_ps_ = 0;
  uint32_t calls_ = 0;
  Counters counters_;
};

}  // namespace

Result<Figures> measure(const Experiment& experiment, const Topology& topology, const Machine& machine,
                        const interconnect::NetworkTopology* links, const AskToStop& stops) {
  Ensemble ensemble(experiment, topology);
  if (Status ready = ensemble.prepare(); !ready) return ready;
  const Costs costs = costs_of(machine);
  Sums sums(ensemble.ranks());
  for (uint32_t number = 0; number < experiment.calls; ++number) {
    ensemble.begin_call(number);
    const Result<SimulationOutcome> outcome = execute(ensemble, costs, links, stops);
    if (!outcome) return outcome.status();
    sums.add_call(ensemble, *outcome);
  }
  return sums.figures();
}

struct PreparedCall::Parts {
  Parts(Experiment of, Topology ranks)
      : experiment(std::move(of)), topology(std::move(ranks)), ensemble(experiment, topology) {}
  Experiment experiment;
  Topology topology;
  Ensemble ensemble;
};

PreparedCall::PreparedCall(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PreparedCall::PreparedCall(PreparedCall&&) noexcept = default;
PreparedCall& PreparedCall::operator=(PreparedCall&&) noexcept = default;
PreparedCall::~PreparedCall() = default;

Result<PreparedCall> PreparedCall::make(const Experiment& experiment, const Topology& topology) {
  auto parts = std::make_unique<Parts>(experiment, topology);
  if (Status ready = parts->ensemble.prepare(); !ready) return ready;
  return PreparedCall(std::move(parts));
}

Result<SimulationOutcome> PreparedCall::run(std::span<const uint64_t> arrival_ps, const Costs& costs,
                                            const interconnect::NetworkTopology* links,
                                            const AskToStop& stops) {
  parts_->ensemble.begin_call(0, arrival_ps);
  return execute(parts_->ensemble, costs, links, stops);
}

}  // namespace tutti::simulate
