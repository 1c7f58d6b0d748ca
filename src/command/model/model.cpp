// tutti model: cost of late processes in a broadcast, by the model of paper 000 (Figures 3, 4 and 6).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "arrival/duration.hpp"
#include "base/text.hpp"
#include "command/command.hpp"
#include "command/model/figures.hpp"
#include "command/model/print.hpp"
#include "command/output.hpp"
#include "command/validators.hpp"

namespace tutti::command {

using base::Status;

namespace {

constexpr uint64_t k_most_model_bytes = 1ULL << 40;

struct ModelCommand {
  ModelOptions model;
  std::vector<std::string> bytes;
  std::string figure = "all", csv, json;
};

Status read_sizes(ModelCommand& options) {
  if (!options.bytes.empty()) options.model.bytes.clear();
  for (const std::string& text : options.bytes) {
    const auto bytes = base::parse_bytes(text);
    if (!bytes) return bytes.status();
    if (*bytes > k_most_model_bytes)
      return Status::invalid_argument(fmt::format("{} is too large; at most 1024G", text));
    options.model.bytes.push_back(*bytes);
  }
  return {};
}

/// Arrivals for the whole tree.
base::Result<arrival::Pattern> arrivals_of(const ModelOptions& model) {
  if (!model.arrivals.empty()) return arrival::load_pattern(model.arrivals);
  arrival::Pattern uniform;
  uniform.kind = arrival::Kind::uniform;
  uniform.spread_ns = static_cast<uint64_t>(std::llround(model.k_us * 1000));
  return uniform;
}

base::Result<ModelFigures> figures_of(const ModelOptions& model, const std::string& which) {
  const auto wants = [&](const char* figure) { return which == "all" || which == figure; };
  ModelFigures figures;
  if (wants("3")) {
    auto rows = impact_figure(model);
    if (!rows) return rows.status();
    figures.impact = *std::move(rows);
  }
  if (wants("4")) {
    const auto arrivals = arrivals_of(model);
    if (!arrivals) return Status::invalid_argument("--arrivals: " + arrivals.status().message());
    auto times = time_figure(model);
    if (!times) return times.status();
    auto trees = tree_figure(model, *arrivals);
    if (!trees) return trees.status();
    figures.times = *std::move(times);
    figures.trees = *std::move(trees);
  }
  if (wants("6")) figures.leaders = leader_figure(model);
  return figures;
}

int run(ModelCommand options) {
  if (Status status = read_sizes(options); !status) return fail("--bytes: " + status.message());
  ModelOptions& model = options.model;
  if (model.processes % model.nodes != 0)
    return fail(fmt::format("--nodes {}: {} processes cannot be dealt out evenly to them", model.nodes,
                            model.processes));
  if (options.csv == "-" && options.json == "-")
    return fail("--csv and --json cannot both be standard output");
  if (model.arrivals.empty()) model.arrivals = to_text(*arrivals_of(model));
  const auto figures = figures_of(model, options.figure);
  if (!figures) return fail(figures.status().message());
  if (options.csv != "-" && options.json != "-") fmt::print("{}", model_text(*figures));
  if (!options.csv.empty())
    if (Status status = write_output(options.csv, model_csv(*figures)); !status)
      return fail(status.message(), k_failed);
  if (options.json.empty()) return k_done;
  const Status status = write_output(options.json, model_json(model, *figures).dump(1) + "\n");
  return status ? k_done : fail(status.message(), k_failed);
}

void add_parameters(CLI::App& app, ModelOptions& model) {
  app.add_option("--processes", model.processes, "p")
      ->check(CLI::Range(1U, arrival::k_most_processes))
      ->capture_default_str();
  app.add_option("--nodes", model.nodes, "N, with the same number of processes on each")
      ->check(CLI::Range(1U, arrival::k_most_processes))
      ->capture_default_str();
  const auto add = [&](const char* name, double& value, double least, double most, const char* summary) {
    app.add_option(name, value, summary)->check(number_between(least, most))->capture_default_str();
  };
  add("--alpha", model.alpha_us, 0.001, 1e6, "latency of a message, in us");
  add("--beta", model.beta_us, 0, 1e3, "time of each byte, in us");
  add("--k", model.k_us, 0, 1e6, "all arrive at random in [0, k], in us");
}

}  // namespace

Action add_model(CLI::App& app) {
  auto options = std::make_shared<ModelCommand>();
  ModelOptions& model = options->model;
  app.footer("What the model says, and what it leaves out: docs/arrival.md. Drawn by bench/model.py.");
  add_parameters(app, model);
  app.add_option("--figure", options->figure, "3 (impact), 4 (time), 6 (leaders) or all")
      ->check(one_of({"3", "4", "6", "all"}))
      ->capture_default_str();
  app.add_option("--bytes", options->bytes, "sizes in Figure 4, like 8,1K,64K")->delimiter(',');
  app.add_option("--unbalance", model.unbalances, "degrees k/t(m) in Figure 3, like 1,5,20")
      ->delimiter(',')
      ->check(number_between(0, arrival::k_most_unbalance));
  app.add_option("--contenders", model.contenders, "processes of a node in Figures 3 and 6, like 2,8")
      ->delimiter(',')
      ->check(CLI::Range(1U, 1024U));
  app.add_option("--arrivals", model.arrivals,
                 "a pattern for the whole tree instead of uniform arrivals, like straggler:rank=3,1ms");
  app.add_option("--trials", model.trials, "of each value by Monte Carlo")
      ->check(CLI::Range(1U, 100'000'000U))
      ->capture_default_str();
  app.add_option("--seed", model.seed, "of the trials")->capture_default_str();
  app.add_option("--csv", options->csv, "also as CSV to this file (-: standard output, instead of the text)")
      ->check(writable_file());
  app.add_option("--json", options->json,
                 "also as JSON to this file (-: standard output, instead of the text)")
      ->check(writable_file());
  return [options] { return run(*options); };
}

}  // namespace tutti::command
