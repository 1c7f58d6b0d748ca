// tutti simulate bcast --algorithm knomial --nodes 16 --ranks-per-node 8 --machine paper000: costs of algorithms on a
// modelled machine.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithm/catalogue.hpp"
#include "base/text.hpp"
#include "command/command.hpp"
#include "command/output.hpp"
#include "command/simulate/crossover.hpp"
#include "command/simulate/fit.hpp"
#include "command/simulate/goal.hpp"
#include "command/simulate/picture.hpp"
#include "command/simulate/print.hpp"
#include "command/simulate/replay.hpp"
#include "command/simulate/table.hpp"
#include "command/validators.hpp"

namespace tutti::command {

using base::Status;

namespace {

constexpr uint64_t k_most_ranks = uint64_t{1} << 22;

struct SimulateCommand {
  std::string collective, goal, fit, replay, write_goal, machine = "default", topology, arrivals = "none",
                                                         csv, json, svg, crossover;
  std::vector<std::string> algorithms, sizes{"8"}, leaders{"fixed"};
  uint32_t nodes = 16, ranks_per_node = 1, calls = 1, times = 1;
  int root = 0;
  uint64_t seed = 1;
  bool non_commutative = false, without_lateness = false, shows_machine = false, shows_schema = false;
};

Status read_sizes(const SimulateCommand& options, std::vector<uint64_t>* into) {
  for (const std::string& text : options.sizes) {
    const auto bytes = base::parse_bytes(text);
    if (!bytes) return Status::invalid_argument("--sizes: " + bytes.status().message());
    if (*bytes > schedule::ScheduleBuilder::k_max_message_bytes)
      return Status::invalid_argument(fmt::format("--sizes: {} is too large; at most 1G", text));
    into->push_back(*bytes);
  }
  return {};
}

/// The named algorithms, or all general ones.
Status read_algorithms(const SimulateCommand& options, algorithm::Collective collective,
                       std::vector<algorithm::Choice>* into) {
  for (const std::string& text : options.algorithms) {
    const auto choice = algorithm::parse_choice(collective, text);
    if (!choice) return choice.status();
    into->push_back(*choice);
  }
  if (!into->empty()) return {};
  for (const algorithm::Algorithm* row : algorithm::catalogue())
    if (row->collective == collective && !row->is_for_late_rank && !row->is_for_early_return)
      into->push_back({row, algorithm::default_parameters(*row)});
  return {};
}

Status read_leaders(const SimulateCommand& options, std::vector<arrival::Leader>* into) {
  using arrival::Leader;
  for (const std::string& text : options.leaders)
    for (const Leader leader : {Leader::fixed, Leader::first, Leader::agent})
      if (text == to_string(leader)) into->push_back(leader);
  return {};
}

base::Result<SimulationTable> table_of(const SimulateCommand& options) {
  SimulationTable table;
  const uint64_t ranks = uint64_t{options.nodes} * options.ranks_per_node;
  if (ranks > k_most_ranks)
    return Status::invalid_argument(fmt::format("{} ranks are too many; at most {}", ranks, k_most_ranks));
  auto machine = simulate::load_machine(options.machine);
  if (!machine) return Status::invalid_argument("--machine: " + machine.status().message());
  table.machine = *std::move(machine);
  if (!options.topology.empty()) table.machine.topology = options.topology;
  auto arrivals = arrival::load_pattern(options.arrivals);
  if (!arrivals) return Status::invalid_argument("--arrivals: " + arrivals.status().message());
  table.arrivals = *std::move(arrivals);
  const auto collective = algorithm::parse_collective(options.collective);
  if (!collective) return collective.status();
  table.collective = *collective;
  if (Status status = read_sizes(options, &table.sizes); !status) return status;
  if (Status status = read_algorithms(options, table.collective, &table.algorithms); !status) return status;
  if (Status status = read_leaders(options, &table.leaders); !status) return status;
  table.nodes = options.nodes;
  table.ranks_per_node = options.ranks_per_node;
  table.root = options.root;
  table.calls = options.calls;
  table.seed = options.seed;
  table.commutative = !options.non_commutative;
  return table;
}

int run_program(const SimulateCommand& options) {
  const GoalOptions what{.file = options.goal,
                         .machine = options.machine,
                         .topology = options.topology,
                         .json = options.json,
                         .ranks_per_node = options.ranks_per_node};
  return simulate_goal(what);
}

int run_again(const SimulateCommand& options) {
  if (options.leaders.size() > 1) return fail("--replay: takes one --leader");
  return replay_run({.folder = options.replay,
                     .machine = options.machine,
                     .topology = options.topology,
                     .json = options.json,
                     .goal = options.write_goal,
                     .algorithms = options.algorithms,
                     .leader = options.leaders.front(),
                     .without_lateness = options.without_lateness,
                     .times = options.times});
}

int run(const SimulateCommand& options) {
  if (options.shows_schema) {
    fmt::print("{}", simulate::machine_schema());
    return k_done;
  }
  if (options.shows_machine) {
    const auto machine = simulate::load_machine(options.machine);
    if (!machine) return fail("--machine: " + machine.status().message());
    fmt::print("{}", simulate::format_machine(*machine));
    return k_done;
  }
  if (!options.fit.empty()) {
    if (options.csv == "-") return fail("--fit: the machine goes to standard output; --csv takes a file");
    return fit_machine({options.fit, options.machine, options.topology, options.csv});
  }
  if (!options.replay.empty()) return run_again(options);
  if (!options.goal.empty()) return run_program(options);
  const std::string* const outputs[] = {&options.csv, &options.json, &options.svg, &options.crossover};
  const auto to_standard_output =
      std::ranges::count_if(outputs, [](const std::string* file) { return *file == "-"; });
  if (to_standard_output > 1)
    return fail("only one of --csv, --json, --svg and --crossover can be standard output");
  if (options.collective.empty())
    return fail("which collective? (tutti simulate bcast; see tutti simulate --help)");
  auto table = table_of(options);
  if (!table) return fail(table.status().message());
  const StopRequest stop;
  ProgressLine progress("cells", table->cell_count());
  if (!options.crossover.empty())  // checked before the work
    if (const auto possible = crossovers(*table); !possible) return fail(possible.status().message());
  const Status status = fill(*table, [&](uint64_t done) { progress.show(done); });
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!status) return fail(status.message(), status.code() == base::Code::internal ? k_failed : k_usage);
  if (to_standard_output == 0) fmt::print("{}", simulation_text(*table));
  if (!options.crossover.empty())
    if (Status written = write_output(options.crossover, select::format_rules(crossovers(*table).value()));
        !written)
      return fail(written.message(), k_failed);
  if (!options.csv.empty())
    if (Status written = write_output(options.csv, simulation_csv(*table)); !written)
      return fail(written.message(), k_failed);
  if (!options.svg.empty())
    if (Status written = write_output(options.svg, simulation_picture(*table)); !written)
      return fail(written.message(), k_failed);
  if (options.json.empty()) return k_done;
  const Status written = write_output(options.json, simulation_json(*table).dump(1) + "\n");
  return written ? k_done : fail(written.message(), k_failed);
}

}  // namespace

Action add_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateCommand>();
  std::string machines;
  for (const simulate::PublishedMachine& machine : simulate::published_machines())
    machines += fmt::format("  {:<12} {}\n", machine.name, machine.summary);
  app.footer("Machines that are built in (docs/simulation.md has their sources):\n" + machines +
             "Topologies: crossbar, torus, fat-tree, dragonfly; with sizes torus:8x4x4, fat-tree:36, "
             "dragonfly:8x4x4.");
  CLI::Option* collective = app.add_option("collective", options->collective, "bcast, allreduce, …");
  app.add_option("--goal", options->goal,
                 "a program in GOAL instead of a collective (nodes: as many as its ranks need)")
      ->excludes(collective);
  app.add_option("--fit", options->fit,
                 "prints the machine on which a file of tutti bench --json was measured, beginning with "
                 "--machine; --csv: "
                 "the calls")
      ->excludes(collective)
      ->excludes("--goal");
  app.add_option(
         "--replay", options->replay,
         "the folder of a recorded run (tutti run --record): its collective calls again, on --machine")
      ->excludes(collective)
      ->excludes("--goal")
      ->excludes("--fit");
  app.add_option("--write-goal", options->write_goal, "--replay: file for the run as a program in GOAL")
      ->needs("--replay")
      ->check(writable_file());
  app.add_flag("--without-lateness", options->without_lateness,
               "--replay: the work before each call is spread evenly over its ranks")
      ->needs("--replay");
  app.add_option("--times", options->times, "--replay: so many times the ranks and nodes")
      ->needs("--replay")
      ->check(CLI::Range(1U, 1U << 16))
      ->capture_default_str();
  app.add_option("--algorithm", options->algorithms,
                 "with parameters, like chain:segment=4K; several: a,b or repeated (default: all); "
                 "--replay: of a collective, like bcast=chain")
      ->delimiter(',');
  app.add_option("--nodes", options->nodes, "number of nodes")
      ->check(CLI::Range(1U, 1U << 20))
      ->capture_default_str();
  app.add_option("--ranks-per-node", options->ranks_per_node)
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  app.add_option("--sizes", options->sizes, "of the message, vector or block, like 8,1K,64K")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--root", options->root)->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--leader", options->leaders,
                 "who leads a node: its first rank (fixed), the first that comes (first), an agent that is "
                 "always there "
                 "(agent)")
      ->delimiter(',')
      ->check(one_of({"fixed", "first", "agent"}))
      ->capture_default_str();
  app.add_option("--machine", options->machine, "one that is built in, or a JSON file")
      ->capture_default_str();
  app.add_option("--topology", options->topology, "instead of the machine's one");
  app.add_option("--arrivals", options->arrivals, "a pattern, like uniform:5us, or a file (docs/arrival.md)")
      ->capture_default_str();
  app.add_option("--calls", options->calls, "calls, each with everything at rest")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  app.add_option("--seed", options->seed, "decides about arrivals")->capture_default_str();
  app.add_flag("--non-commutative", options->non_commutative, "with an operator that does not commute");
  app.add_flag("--show-machine", options->shows_machine, "prints the machine as JSON, and does nothing else");
  app.add_flag("--show-schema", options->shows_schema,
               "prints the JSON schema of machines, and does nothing else");
  app.add_option("--csv", options->csv, "file for all results (-: standard output, instead of the text)")
      ->check(writable_file());
  app.add_option("--json", options->json, "file for all results (-: standard output, instead of the text)")
      ->check(writable_file());
  app.add_option("--svg", options->svg, "draws time over sizes into this file")->check(writable_file());
  app.add_option("--crossover", options->crossover,
                 "rules file with the fastest for each size, for tutti run --rules")
      ->check(writable_file());
  // Options whose values a record, a program or measurements determine.
  for (const char* const mode : {"--replay", "--fit", "--goal"})
    for (const char* const other : {"--nodes", "--sizes", "--root", "--arrivals", "--calls", "--seed",
                                    "--non-commutative", "--svg", "--crossover"})
      app.get_option(mode)->excludes(app.get_option(other));
  for (const auto& [mode, others] :
       {std::pair<const char*, std::vector<const char*>>{"--replay", {"--ranks-per-node", "--csv"}},
        {"--fit", {"--ranks-per-node", "--algorithm", "--leader", "--json"}},
        {"--goal", {"--algorithm", "--leader", "--csv"}}})
    for (const char* const other : others) app.get_option(mode)->excludes(app.get_option(other));
  return [options] { return run(*options); };
}

}  // namespace tutti::command
