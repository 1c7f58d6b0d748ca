// tutti offload simulate --nodes 128 --radix 3: barriers on a machine with simulated NICs (paper 003 §3).

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "arrival/pattern.hpp"
#include "command/command.hpp"
#include "command/offload/options.hpp"
#include "command/output.hpp"
#include "command/validators.hpp"
#include "offload/model/simulation.hpp"

namespace tutti::command {

namespace model = offload::model;

namespace {

struct SimulateOptions {
  std::string engine = "offload", parameters = "default", topology, shape, arrivals = "none", queue,
              completion = "queue", op, type = "int64", json;
  model::Workload workload;
  uint32_t damq_depth = 0;
  uint32_t elements = 1;
  bool strict = false, shows_parameters = false;
};

/// The value for a word of `table`; one_of() has validated the word.
template <class T>
T named(const std::string& word, std::initializer_list<std::pair<std::string_view, T>> table) {
  return std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == word; })->second;
}

model::Workload workload_of(const SimulateOptions& options) {
  using offload::Completion;
  using offload::ElementType;
  using offload::Operator;
  model::Workload workload = options.workload;
  workload.engine =
      options.engine == "offload" ? model::EngineChoice::offload : model::EngineChoice::software;
  workload.through_mpi = options.engine == "software-mpi";
  workload.shape = shape_named(options.shape, workload.radix);
  workload.from_memory = options.queue == "sdq";
  workload.completion = named<Completion>(options.completion, {{"queue", Completion::queue_entry},
                                                               {"memory", Completion::memory_write},
                                                               {"interrupt", Completion::interrupt}});
  if (!options.op.empty())
    workload.op = named<Operator>(options.op, {{"sum", Operator::sum},
                                               {"min", Operator::min},
                                               {"max", Operator::max},
                                               {"and", Operator::bit_and},
                                               {"or", Operator::bit_or}});
  workload.type = named<ElementType>(
      options.type,
      {{"int64", ElementType::int64}, {"uint64", ElementType::uint64}, {"float64", ElementType::float64}});
  workload.elements = static_cast<uint8_t>(options.elements);
  workload.faults.seed = workload.seed;
  return workload;
}

struct Latencies {
  double median_ns, least_ns, most_ns, mean_ns;
};

Latencies latencies_of(const model::RunResult& result) {
  std::vector<double> all;
  for (size_t i = 0; i < result.records.size(); ++i) all.push_back(result.latency_ns(i));
  std::sort(all.begin(), all.end());
  const size_t half = all.size() / 2;
  const double median = all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
  return {median, all.front(), all.back(), result.mean_latency_ns()};
}

nlohmann::ordered_json json_of(const model::Parameters& parameters, const SimulateOptions& options,
                               const model::RunResult& result) {
  const Latencies latencies = latencies_of(result);
  const model::Workload& workload = options.workload;
  const auto& engines = result.engines;
  const auto& network = result.network;
  return {
      {"schema", 1},
      {"engine", options.engine},
      {"parameters", parameters.name},
      {"topology", result.topology},
      {"nodes", workload.nodes},
      {"radix", workload.radix},
      {"repeats", workload.repeats},
      {"arrivals", options.arrivals},
      {"latency_ns",
       {{"median", latencies.median_ns},
        {"min", latencies.least_ns},
        {"max", latencies.most_ns},
        {"mean", latencies.mean_ns}}},
      {"host_ns_per_collective",
       static_cast<double>(result.cpu_cycles) * result.ns_per_cycle / workload.nodes / workload.repeats},
      {"notifications", engines.notifications},
      {"resends", engines.resends},
      {"acks", engines.acks},
      {"nacks", engines.nacks},
      {"early", engines.early},
      {"duplicates", engines.duplicates},
      {"damq_peak", engines.damq_peak},
      {"network",
       {{"packets", network.injected},
        {"hops", network.hops},
        {"lost", network.lost},
        {"corrupted", network.corrupted},
        {"duplicated", network.duplicated},
        {"delayed", network.delayed}}},
      {"cycles", result.cycles},
      {"ns_per_cycle", result.ns_per_cycle},
      {"node_steps", result.node_steps},
  };
}

void print_text(const model::Parameters& parameters, const SimulateOptions& options,
                const model::RunResult& result) {
  const Latencies latencies = latencies_of(result);
  const model::Workload& workload = options.workload;
  const auto& engines = result.engines;
  fmt::print("{} of {} nodes, radix {}, {}, {}, parameters {}\n",
             options.op.empty() ? "barrier" : "allreduce", workload.nodes, workload.radix, options.engine,
             result.topology, parameters.name);
  fmt::print("latency           {:.1f} ns after the last arrival", latencies.median_ns);
  if (workload.repeats > 1)
    fmt::print(" (median of {}; {:.1f} to {:.1f})", workload.repeats, latencies.least_ns, latencies.most_ns);
  fmt::print(
      "\nhost              {:.1f} ns of CPU per node and collective\n",
      static_cast<double>(result.cpu_cycles) * result.ns_per_cycle / workload.nodes / workload.repeats);
  if (options.engine == "offload")
    fmt::print(
        "notifications     {}, sent again {}\n"
        "responses         {} ACK, {} NACK\n"
        "received          {} early, {} twice, at most {} in a DAMQ\n",
        engines.notifications, engines.resends, engines.acks, engines.nacks, engines.early,
        engines.duplicates, engines.damq_peak);
  const auto& network = result.network;
  fmt::print("network           {} packets over {} hops", network.injected, network.hops);
  if (workload.faults.any())
    fmt::print("; {} lost, {} corrupted, {} duplicated, {} delayed", network.lost, network.corrupted,
               network.duplicated, network.delayed);
  fmt::print("\n");
}

int run(SimulateOptions options) {
  auto parameters = model::load_parameters(options.parameters);
  if (!parameters) return fail(parameters.status().message());
  if (!options.topology.empty()) parameters->topology = options.topology;
  if (options.engine != "offload" && (options.damq_depth > 0 || options.strict))
    return fail("--damq-depth and --strict are for --engine offload");
  if (options.damq_depth > 0) parameters->damq_depth = options.damq_depth;
  if (options.strict) parameters->strict = 1;
  if (options.shows_parameters) {
    fmt::print("{}", model::format_parameters(*parameters));
    return k_done;
  }
  auto arrivals = arrival::load_pattern(options.arrivals);
  if (!arrivals) return fail("--arrivals: " + arrivals.status().message());
  options.workload.arrivals = *std::move(arrivals);
  options.workload = workload_of(options);
  const StopRequest stop;
  ProgressLine progress("collectives", uint64_t{options.workload.nodes} * options.workload.repeats);
  model::RunOptions how;
  how.report = [&](uint64_t done, uint64_t) {
    progress.show(done);
    return !StopRequest::is_asked();
  };
  const auto result = model::simulate(*parameters, options.workload, how);
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!result) return fail(result.status().message());
  if (result->early > 0 || result->differing > 0)
    return fail(fmt::format("{} collectives ended too early, {} results differ; this is a mistake of Tutti",
                            result->early, result->differing),
                k_failed);
  const std::string json = json_of(*parameters, options, *result).dump(1) + "\n";
  if (options.json != "-") print_text(*parameters, options, *result);
  if (options.json.empty()) return k_done;
  const auto status = write_output(options.json, json);
  return status ? k_done : fail(status.message(), k_failed);
}

void add_faults(CLI::App& app, offload::network::Faults& faults) {
  const auto add = [&](const char* name, double& value, const char* summary) {
    app.add_option(name, value, summary)->check(number_between(0.0, 0.999))->capture_default_str();
  };
  add("--loss", faults.loss, "chance that a link loses a packet (as far as notifications still get through)");
  add("--corruption", faults.corruption, "chance that a link damages a packet, whose CRC then fails");
  add("--duplication", faults.duplication, "chance that a packet arrives twice");
  add("--reordering", faults.reordering, "chance that a packet arrives up to 1000 cycles late");
}

}  // namespace

std::function<int()> add_offload_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  model::Workload& workload = options->workload;
  std::string sets;
  for (const model::PublishedSet& set : model::published_sets())
    sets += fmt::format("  {:<12} {}\n", set.name, set.summary);
  app.footer("Sets of parameters that are built in (docs/offload.md has their sources):\n" + sets +
             "Topologies: torus, torus:8x4x4, fat-tree, fat-tree:36 (ports per switch), dragonfly, "
             "dragonfly:8x4x4 (routers in a group, "
             "(routers in a group, cables and nodes at each).");
  app.add_option("--nodes", workload.nodes, "number of nodes")
      ->check(CLI::Range(1u, 1u << 20))
      ->capture_default_str();
  app.add_option("--radix", workload.radix, "each node sends radix - 1 notifications per round")
      ->check(CLI::Range(2u, 16u))
      ->capture_default_str();
  app.add_option("--shape", options->shape,
                 "symmetric (paper 003; odd radices only, where it is the default) or forward")
      ->check(one_of({"symmetric", "forward"}));
  app.add_option(
         "--engine", options->engine,
         "offload: NICs; software: hosts, by the NIC's user library; software-mpi: hosts, by MPI messages")
      ->check(one_of({"offload", "software", "software-mpi"}))
      ->capture_default_str();
  app.add_option("--parameters", options->parameters, "a set that is built in, or a JSON file")
      ->capture_default_str();
  app.add_flag("--show-parameters", options->shows_parameters,
               "prints the parameters as JSON, and does nothing else");
  app.add_option("--topology", options->topology, "instead of the parameters' one");
  app.add_option("--arrivals", options->arrivals, "a pattern, like uniform:5us, or a file (docs/arrival.md)")
      ->capture_default_str();
  app.add_option("--repeats", workload.repeats, "collectives, one after the other")
      ->check(CLI::Range(1u, 10'000'000u))
      ->capture_default_str();
  app.add_option("--window", workload.window, "collectives that a node has in flight")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app.add_option("--communicators", workload.communicators, "that take turns")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app.add_option("--damq-depth", options->damq_depth, "instead of the parameters' one")
      ->check(CLI::Range(1u, 64u));
  app.add_flag("--strict", options->strict,
               "a round also waits for the responses of the one before, as in the paper");
  app.add_option("--queue", options->queue,
                 "descriptors go to the NIC by PIO (hdq, the default) or lie in memory (sdq)")
      ->check(one_of({"hdq", "sdq"}));
  app.add_option("--completion", options->completion, "queue, memory or interrupt")
      ->check(one_of({"queue", "memory", "interrupt"}))
      ->capture_default_str();
  CLI::Option* allreduce =
      app.add_option("--allreduce", options->op, "an allreduce instead of a barrier: sum, min, max, and, or")
          ->check(one_of({"sum", "min", "max", "and", "or"}));
  app.add_option("--type", options->type, "int64, uint64 or float64")
      ->check(one_of({"int64", "uint64", "float64"}))
      ->capture_default_str()
      ->needs(allreduce);
  app.add_option("--elements", options->elements, "of 8 bytes each")
      ->check(CLI::Range(1u, 8u))
      ->capture_default_str()
      ->needs(allreduce);
  app.add_option("--background", workload.background,
                 "share of every link into the network that RDMA traffic asks for")
      ->check(number_between(0.0, 0.999))
      ->capture_default_str();
  add_faults(app, workload.faults);
  app.add_option("--seed", workload.seed, "decides about arrivals, operands, faults and background")
      ->capture_default_str();
  app.add_option("--json", options->json, "file for all results (-: standard output, instead of the text)")
      ->check(writable_file());
  return [options] { return run(*options); };
}

}  // namespace tutti::command
