// Barriers and small allreduces of the barrier offload's model in networks that lose, corrupt, duplicate and reorder,
// with hosts that arrive at random times: none completes before all have arrived, every one completes, and every node
// gets exactly the bits that the operands give.
//
//   offload_storm [--collectives N] [--seed N] [--case N]
//
// Works through cases, each a machine and a workload drawn from the seed and its number, until N collectives are
// done. --case repeats one case. A case counts all its collectives on all its nodes; the summary at the end has the
// number of events.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "offload/model/simulation.hpp"
#include "tests/model/offload/reference.hpp"

namespace {

using namespace tutti;
using namespace tutti::offload;
using Arrivals = arrival::Kind;
using model::Workload;

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t next() { return base::mixed(state_++); }
  uint64_t within(uint64_t least, uint64_t most) { return least + next() % (most - least + 1); }
  bool one_in(uint64_t sides) { return next() % sides == 0; }
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// All orders of magnitude alike.
  double magnitude(double least, double most) { return least * std::pow(most / least, fraction()); }
  template <class T, size_t N>
  T any_of(const T (&values)[N]) {
    return values[next() % N];
  }

 private:
  uint64_t state_;
};

struct Case {
  model::Parameters machine;
  Workload of;
};

network::Faults draw_faults(Dice& dice) {
  const auto chance = [&](double most) { return dice.one_in(3) ? 0 : most * dice.fraction(); };
  network::Faults faults;
  faults.loss = chance(0.1);
  faults.corruption = chance(0.05);
  faults.duplication = chance(0.3);
  faults.reordering = chance(0.5);
  // Up to many times as long as a barrier: copies of epochs that are over.
  faults.delay_cycles = static_cast<uint32_t>(dice.magnitude(10, 100000));
  faults.seed = dice.next();
  return faults;
}

model::Parameters draw_machine(Dice& dice) {
  const auto sets = model::published_sets();
  model::Parameters machine =
      model::load_parameters(std::string(sets[dice.next() % sets.size()].name)).value();
  if (dice.one_in(3)) machine.topology = dice.one_in(2) ? "torus" : "fat-tree:8";
  machine.damq_depth = static_cast<double>(dice.within(1, 16));
  machine.contexts = static_cast<double>(dice.within(1, 6));
  machine.backoff_ns = dice.magnitude(10, 5000);
  machine.timeout_ns = dice.magnitude(500, 50000);
  machine.shift_max = static_cast<double>(dice.within(0, 6));
  machine.strict = dice.one_in(5) ? 1 : 0;
  machine.buffer_packets = static_cast<double>(dice.within(1, 16));
  return machine;
}

void draw_operation(Dice& dice, Workload& of) {
  of.radix = static_cast<uint32_t>(dice.within(2, 16));
  of.shape = of.radix % 2 == 1 && dice.one_in(2) ? pattern::DisseminationShape::symmetric
                                                 : pattern::DisseminationShape::forward;
  if (!dice.one_in(3)) return;
  of.op = dice.any_of(
      {Operator::sum, Operator::sum, Operator::min, Operator::max, Operator::bit_and, Operator::bit_or});
  const bool is_bitwise = of.op == Operator::bit_and || of.op == Operator::bit_or;
  of.type = is_bitwise ? dice.any_of({ElementType::int64, ElementType::uint64})
                       : dice.any_of({ElementType::int64, ElementType::uint64, ElementType::float64});
  of.elements = static_cast<uint8_t>(dice.within(1, k_most_elements));
}

Case draw(uint64_t seed, uint64_t number) {
  Dice dice(base::mixed(seed) ^ base::mixed(~number));
  Case drawn{.machine = draw_machine(dice), .of = {}};
  Workload& of = drawn.of;
  of.nodes = static_cast<uint32_t>(dice.within(2, dice.any_of({5, 5, 12, 40})));
  draw_operation(dice, of);
  // Large machines cost more, and small ones run into everything as well.
  of.repeats =
      static_cast<uint32_t>(dice.within(1, std::clamp(60000 / (of.nodes * of.nodes * of.nodes), 12u, 3000u)));
  of.communicators = static_cast<uint32_t>(dice.within(1, 4));
  of.window = static_cast<uint32_t>(dice.within(1, 8));
  of.first_epoch = dice.one_in(2) ? 0 : 0x7fffff00;
  of.arrivals = {.kind = dice.any_of({Arrivals::none, Arrivals::uniform, Arrivals::exponential,
                                      Arrivals::one_late, Arrivals::ascending, Arrivals::halves}),
                 .spread_ns = static_cast<uint64_t>(dice.magnitude(10, 100000))};
  // Seconds, in which the engines' 32-bit clocks wrap. Many impatient engines would retry for an hour of
  // ours.
  if (dice.one_in(200)) {
    of.nodes = std::min(of.nodes, 6u);
    of.arrivals.spread_ns = 1'000'000'000;
    of.repeats = 20;
    drawn.machine.backoff_ns = 50000;
    drawn.machine.timeout_ns = 500000;
    drawn.machine.shift_max = 6;
  }
  of.seed = dice.next();
  of.from_memory = dice.one_in(3);
  of.completion = dice.any_of({Completion::queue_entry, Completion::memory_write, Completion::interrupt});
  if (dice.one_in(8) && of.arrivals.spread_ns < 3000) of.background = 0.8 * dice.fraction();
  of.faults = draw_faults(dice);
  return drawn;
}

struct Totals {
  uint64_t cases = 0, barriers = 0, allreduces = 0, completions = 0, clocks_wrapped = 0;
  nic::EngineCounters engines;
  network::NetworkCounters network;
};

void add(Totals& totals, const Workload& of, const model::RunResult& result) {
  ++totals.cases;
  (of.op == Operator::none ? totals.barriers : totals.allreduces) += of.repeats;
  totals.completions += uint64_t{of.repeats} * of.nodes;
  totals.clocks_wrapped += result.cycles >> 32 != 0;
  totals.engines.nacks += result.engines.nacks;
  totals.engines.resends += result.engines.resends;
  totals.engines.duplicates += result.engines.duplicates;
  totals.engines.early += result.engines.early;
  totals.network.injected += result.network.injected;
  totals.network.lost += result.network.lost;
  totals.network.corrupted += result.network.corrupted;
  totals.network.duplicated += result.network.duplicated;
  totals.network.delayed += result.network.delayed;
}

/// Describes the error in the result, or returns an empty string.
std::string find_fault(const Workload& of, const model::RunResult& result) {
  for (uint32_t which = 0; which < of.repeats; ++which) {
    const model::CollectiveRecord& record = result.records[which];
    if (record.arrived != of.nodes || record.completed != of.nodes)
      return fmt::format("collective {}: {} nodes came, {} went", which, record.arrived, record.completed);
    if (record.first_report < record.last_arrival || record.first_completion < record.last_arrival)
      return fmt::format("collective {} was complete in cycle {}, before the last node came in cycle {}",
                         which, record.first_report, record.last_arrival);
    if (of.op == Operator::none) continue;
    std::string wrong;
    const tests::Operands expected = tests::expected_result(of, which, &wrong);
    if (!wrong.empty()) return fmt::format("the rounds of allreduce {}: {}", which, wrong);
    if (!std::equal(expected.begin(), expected.begin() + of.elements, record.result.begin()))
      return fmt::format("allreduce {}: not the bits that the operands give", which);
  }
  if (result.differing > 0) return fmt::format("{} results differ between nodes", result.differing);
  if (result.engines.strays > 0) return fmt::format("{} strays", result.engines.strays);
  if (result.engines.completions != uint64_t{of.nodes} * of.repeats)
    return fmt::format("{} completions of {}", result.engines.completions, uint64_t{of.nodes} * of.repeats);
  return {};
}

/// More cycles than these without any completion are a hang: 200 times the longest wait that an engine can
/// choose, and 60 times the hosts' mean.
uint64_t patience(const Case& drawn) {
  const auto& machine = drawn.machine;
  const double engine_ns = std::max(machine.backoff_ns, machine.timeout_ns) * std::exp2(machine.shift_max);
  const double cycle_ns = 1000 / machine.clock_mhz;
  return static_cast<uint64_t>((200 * engine_ns + 60 * static_cast<double>(drawn.of.arrivals.spread_ns)) /
                               cycle_ns) +
         uint64_t{200} * drawn.of.faults.delay_cycles + 10'000'000;
}

std::string run(const Case& drawn, Totals& totals) {
  uint64_t last_done = 0, last_cycle = 0;
  const uint64_t most = patience(drawn);
  model::RunOptions options;
  options.report = [&](uint64_t done, uint64_t cycle) {
    if (done != last_done) last_cycle = cycle;
    last_done = done;
    return cycle - last_cycle < most;
  };
  const auto result = model::simulate(drawn.machine, drawn.of, options);
  if (!result) return fmt::format("{} (after {} completions)", result.status().message(), last_done);
  add(totals, drawn.of, *result);
  return find_fault(drawn.of, *result);
}

void print(const Totals& totals, double seconds) {
  const auto& engines = totals.engines;
  const auto& net = totals.network;
  fmt::print("{} machines, {} barriers and {} allreduces, {} completions on nodes; {:.0f} s\n", totals.cases,
             totals.barriers, totals.allreduces, totals.completions, seconds);
  fmt::print("packets: {} sent, {} lost, {} corrupted, {} duplicated, {} delayed\n", net.injected, net.lost,
             net.corrupted, net.duplicated, net.delayed);
  fmt::print(
      "engines: {} early notifications kept, {} refused, {} sent again, {} received twice; {} runs beyond "
      "2^32 "
      "cycles\n",
      engines.early, engines.nacks, engines.resends, engines.duplicates, totals.clocks_wrapped);
  fmt::print("none completed early, none hung, all results right\n");
}

std::optional<uint64_t> number(const char* text) {
  char* end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') return std::nullopt;
  return value;
}

int fail(const std::string& line) {
  fmt::print(stderr, "offload_storm: {}\n", line);
  return 1;
}

}  // namespace

int main(int count, char** words) {
  uint64_t collectives = 20000, seed = 1;
  std::optional<uint64_t> only;
  for (int i = 1; i < count; i += 2) {
    const std::string option = words[i];
    const auto value = i + 1 < count ? number(words[i + 1]) : std::nullopt;
    if (!value || (option != "--collectives" && option != "--seed" && option != "--case"))
      return fail(fmt::format("{}: give --collectives, --seed or --case, each with a whole number", option));
    (option == "--collectives" ? collectives : option == "--seed" ? seed : only.emplace()) = *value;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Totals totals;
  for (uint64_t which = only.value_or(0); totals.barriers + totals.allreduces < collectives; ++which) {
    const std::string fault = run(draw(seed, which), totals);
    if (!fault.empty()) return fail(fmt::format("--seed {} --case {}: {}", seed, which, fault));
    if (only) break;
    if (totals.cases % 100 == 0) {
      fmt::print("{} collectives, {:.0f} s\n", totals.barriers + totals.allreduces, seconds());
      std::fflush(stdout);
    }
  }
  print(totals, seconds());
  return 0;
}
