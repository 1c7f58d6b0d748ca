#include "command/simulate/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "command/command.hpp"
#include "command/output.hpp"
#include "interconnect/network_topology.hpp"
#include "simulate/goal_run.hpp"

namespace tutti::command {

namespace {

nlohmann::ordered_json json_of(const simulate::Machine& machine, const simulate::SimulationOutcome& outcome) {
  const simulate::Counters& counters = outcome.counters;
  return {{"schema", 1},
          {"machine", nlohmann::ordered_json::parse(simulate::format_machine(machine))},
          {"ranks", outcome.ends_ps.size()},
          {"ends_ps", outcome.ends_ps},
          {"messages", counters.messages},
          {"bytes_between_nodes", counters.bytes},
          {"local_messages", counters.local_messages},
          {"local_bytes", counters.local_bytes},
          {"global_bytes", counters.global_bytes},
          {"events", counters.events}};
}

void print_text(const GoalOptions& options, const simulate::Machine& machine,
                const simulate::SimulationOutcome& outcome) {
  const auto last = std::ranges::max_element(outcome.ends_ps);
  const auto first = std::ranges::min_element(outcome.ends_ps);
  const auto in_us = [](uint64_t ps) { return static_cast<double>(ps) / 1e6; };
  fmt::print("{}: {} ranks, {} on each node; machine {} ({})\n", options.file, outcome.ends_ps.size(),
             options.ranks_per_node, machine.name, machine.topology);
  fmt::print("ends after {:.3f} us (rank {}); the first rank after {:.3f} us (rank {})\n", in_us(*last),
             last - outcome.ends_ps.begin(), in_us(*first), first - outcome.ends_ps.begin());
  const simulate::Counters& counters = outcome.counters;
  fmt::print("{} messages between nodes with {} bytes, {} inside nodes with {} bytes\n", counters.messages,
             counters.bytes, counters.local_messages, counters.local_bytes);
}

}  // namespace

int simulate_goal(const GoalOptions& options) {
  const auto text = base::read_file(options.file);
  if (!text) return fail("--goal: " + text.status().message());
  const auto program = simulate::parse_goal(*text, options.file);
  if (!program) return fail(program.status().message());
  auto machine = simulate::load_machine(options.machine);
  if (!machine) return fail("--machine: " + machine.status().message());
  if (!options.topology.empty()) machine->topology = options.topology;
  const auto ranks = static_cast<uint32_t>(program->ranks.size());
  const auto links = simulate::make_links(*machine, (ranks - 1) / options.ranks_per_node + 1);
  if (!links) return fail(links.status().message());
  const StopRequest stop;
  const auto outcome = simulate::run_goal(*program, options.ranks_per_node, *machine, links.value().get(),
                                          StopRequest::is_asked);
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!outcome) return fail(fmt::format("{}: {}", options.file, outcome.status().message()), k_failed);
  if (options.json != "-") print_text(options, *machine, *outcome);
  if (options.json.empty()) return k_done;
  const auto written = write_output(options.json, json_of(*machine, *outcome).dump(1) + "\n");
  return written ? k_done : fail(written.message(), k_failed);
}

}  // namespace tutti::command
