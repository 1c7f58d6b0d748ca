#include "offload/model/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "interconnect/event_wheel.hpp"
#include "offload/descriptor_words.hpp"
#include "offload/model/offload_node.hpp"
#include "offload/model/simulated_node.hpp"
#include "offload/model/software_node.hpp"
#include "offload/nic/engine.hpp"
#include "offload/rounds.hpp"

namespace tutti::offload::model {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_never = UINT64_MAX;

/// The nodes, and the cycle of each node's next step.
class Machine {
 public:
  Machine(const Timing& timing, const Workload& workload, const interconnect::NetworkTopology& topology)
      : timing_(timing),
        workload_(workload),
        topology_(topology),
        network_(topology, timing.network, workload.faults),
        journal_(workload),
        start_(workload.nodes, k_never) {}

  Status build(const RunOptions& options);
  Status run(const RunOptions& options);
  RunResult result() const;

 private:
  Result<std::vector<Round>> rounds_of(uint32_t node) const;
  Status check_losses(uint32_t node, const std::vector<Round>& rounds) const;
  void expect(uint32_t node, uint64_t cycle);
  void live(uint32_t node, uint64_t end, bool steps_everything);
  void run_stretch(uint64_t from, uint64_t end, bool steps_everything);
  Status hang(uint64_t now) const;

  const Timing& timing_;
  const Workload& workload_;
  const interconnect::NetworkTopology& topology_;
  network::Network network_;
  Journal journal_;
  std::vector<std::unique_ptr<SimulatedNode>> nodes_;
  std::vector<const OffloadNode*> offloading_;
  interconnect::EventWheel<uint32_t> wakes_;
  std::vector<uint64_t> start_;  // by node: its first step in this stretch of cycles
  std::vector<uint32_t> due_, living_;
  uint64_t cycles_ = 0, node_steps_ = 0;
};

Result<std::vector<Round>> Machine::rounds_of(uint32_t node) const {
  auto rounds = workload_.op == Operator::none
                    ? dissemination(workload_.nodes, node, workload_.radix, workload_.shape)
                    : recursive_multiplying(workload_.nodes, node, workload_.radix);
  if (!rounds || !workload_.farthest_first) return rounds;
  for (Round& round : *rounds) {
    std::vector<std::pair<uint32_t, NodeId>> ways;
    for (const NodeId to : round.sends)
      ways.emplace_back(interconnect::routers_between(topology_, node, to), to);
    std::stable_sort(ways.begin(), ways.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 0; i < ways.size(); ++i) round.sends[i] = ways[i].second;
  }
  return rounds;
}

/// A notification and its response cross every link of their path. A run that loses nearly all of them would
/// not end.
Status Machine::check_losses(uint32_t node, const std::vector<Round>& rounds) const {
  constexpr double k_most_tries = 1e4;
  const network::Faults& faults = workload_.faults;
  if (faults.loss == 0 && faults.corruption == 0) return {};
  for (const Round& round : rounds)
    for (const NodeId to : round.sends) {
      const uint32_t links = interconnect::routers_between(topology_, node, to);
      const double tries = std::pow((1 - faults.loss) * (1 - faults.corruption), -2.0 * links);
      if (!(tries <= k_most_tries))
        return Status::invalid_argument(fmt::format(
            "with loss {} and corruption {} a notification over {} links is sent {:.0e} times until its "
            "response is there, more than the {:.0e} that a run can take",
            faults.loss, faults.corruption, links, tries, k_most_tries));
    }
  return {};
}

Status Machine::build(const RunOptions& options) {
  for (uint32_t node = 0; node < workload_.nodes; ++node) {
    auto rounds = rounds_of(node);
    if (!rounds) return rounds.status();
    if (Status status = check_losses(node, *rounds); !status) return status;
    if (workload_.engine == EngineChoice::software) {
      nodes_.push_back(
          std::make_unique<SoftwareNode>(timing_, workload_, node, std::move(*rounds), network_, journal_));
    } else {
      const auto checked = encode(descriptor_of(workload_, node, 0, *rounds));
      if (!checked) return checked.status();
      auto encoder = [this, shape = std::move(*rounds)](uint32_t of, uint32_t which) {
        return encode(descriptor_of(workload_, of, which, shape)).value();
      };
      auto engine = options.make_engine ? options.make_engine(timing_.engine)
                                        : std::make_unique<nic::Engine>(timing_.engine);
      auto made = std::make_unique<OffloadNode>(timing_, workload_, node, std::move(encoder),
                                                std::move(engine), network_, journal_);
      offloading_.push_back(made.get());
      nodes_.push_back(std::move(made));
    }
    wakes_.add(0, node);
  }
  return {};
}

void Machine::expect(uint32_t node, uint64_t cycle) {
  if (node >= workload_.nodes) return;
  if (start_[node] == k_never) living_.push_back(node);
  start_[node] = std::min(start_[node], cycle);
}

/// Steps one node through the cycles of a stretch, from its first step on.
void Machine::live(uint32_t node, uint64_t end, bool steps_everything) {
  uint64_t cycle = std::exchange(start_[node], k_never);
  while (cycle < end) {
    ++node_steps_;
    const uint64_t wake = nodes_[node]->step(cycle);
    const uint64_t visible = network_.next_visible(node, cycle);
    cycle = steps_everything ? cycle + 1 : std::min(wake, visible);
    // After the stretch, the network's own events wake the node for what becomes visible.
    if (cycle >= end) cycle = steps_everything ? k_never : std::max(wake, end);
  }
  if (cycle != k_never) wakes_.add(cycle, node);
}

/// Runs the network first, which may run ahead, and then one node after the other, so that each node's data
/// stays in the cache.
void Machine::run_stretch(uint64_t from, uint64_t end, bool steps_everything) {
  network_.run(from, end);
  if (steps_everything)
    for (uint32_t node = 0; node < workload_.nodes; ++node) expect(node, from);
  else
    for (uint64_t cycle = wakes_.next(from, end); cycle < end; cycle = wakes_.next(cycle + 1, end)) {
      wakes_.take(cycle, due_);
      for (const uint32_t node : due_) expect(node, cycle);
    }
  for (const network::Network::Wake& wake : network_.woken()) expect(wake.node, wake.cycle);
  for (const uint32_t node : living_) live(node, end, steps_everything);
  living_.clear();
}

Status Machine::hang(uint64_t now) const {
  return Status::internal(
      fmt::format("the model hangs in cycle {} with {} of {} collectives done; this is a mistake of Tutti",
                  now, journal_.done(), uint64_t{workload_.nodes} * workload_.repeats));
}

Status Machine::run(const RunOptions& options) {
  constexpr uint64_t k_report_steps = 1 << 16;
  // Completion is checked only in every 64th cycle, so that counters do not depend on the length of the
  // stretches.
  constexpr uint64_t k_look = 64;
  const uint64_t most = options.steps_everything ? 1 : network_.window();
  uint64_t now = 0, next_report = k_report_steps;
  while (now % k_look != 0 || !journal_.is_complete()) {
    const uint64_t limit = journal_.is_complete() ? (now / k_look + 1) * k_look : k_never;
    if (!options.steps_everything) now = std::min(network_.next_event(now, limit), wakes_.next(now, limit));
    if (now == limit) {
      if (journal_.is_complete()) break;
      return hang(now);
    }
    if (options.most_cycles > 0 && now > options.most_cycles) return hang(now);
    const uint64_t end = std::min(now + most, (now / k_look + 1) * k_look);
    run_stretch(now, end, options.steps_everything);
    now = end;
    if (journal_.wrong() > 0)
      return Status::internal(fmt::format("an engine has refused a descriptor before cycle {}", now));
    if (options.report && node_steps_ >= next_report) {
      next_report = node_steps_ + k_report_steps;
      if (!options.report(journal_.done(), now)) return Status(Code::not_found, "stopped");
    }
  }
  cycles_ = now;
  return {};
}

RunResult Machine::result() const {
  RunResult result;
  result.ns_per_cycle = timing_.ns_per_cycle;
  result.topology = topology_.describe();
  result.records = journal_.records();
  for (const OffloadNode* node : offloading_) {
    const nic::EngineCounters counters = node->engine().counters();
    nic::EngineCounters& sum = result.engines;
    sum.notifications += counters.notifications;
    sum.resends += counters.resends;
    sum.acks += counters.acks;
    sum.nacks += counters.nacks;
    sum.duplicates += counters.duplicates;
    sum.strays += counters.strays;
    sum.early += counters.early;
    sum.completions += counters.completions;
    sum.refused += counters.refused;
    sum.damq_peak = std::max(sum.damq_peak, counters.damq_peak);
  }
  result.network = network_.counters();
  result.cycles = cycles_;
  result.node_steps = node_steps_;
  result.cpu_cycles = journal_.cpu_cycles();
  result.early = journal_.early();
  result.differing = journal_.differing();
  return result;
}

}  // namespace

double RunResult::mean_latency_ns() const {
  double sum = 0;
  for (size_t i = 0; i < records.size(); ++i) sum += latency_ns(i);
  return records.empty() ? 0 : sum / static_cast<double>(records.size());
}

Result<RunResult> simulate(const Parameters& parameters, const Workload& workload,
                           const RunOptions& options) {
  if (Status status = check(workload); !status) return status;
  if (workload.communicators > parameters.ids)
    return Status::invalid_argument(fmt::format("{} communicators, but the engine has {} barrier ids",
                                                workload.communicators, parameters.ids));
  const auto topology = interconnect::make_topology(parameters.topology, workload.nodes);
  if (!topology) return topology.status();
  const Timing timing = timing_of(parameters);
  Machine machine(timing, workload, **topology);
  if (Status status = machine.build(options); !status) return status;
  if (Status status = machine.run(options); !status) return status;
  return machine.result();
}

}  // namespace tutti::offload::model
