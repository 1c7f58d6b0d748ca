// tutti fabric compare FABRIC GROUPS --colours 128: a table with one line per algorithm.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command/command.hpp"
#include "command/fabric/options.hpp"
#include "command/fabric/routing.hpp"
#include "command/output.hpp"

namespace tutti::command {

namespace {

struct CompareOptions {
  RouteOptions how;
  std::string fabric, groups, json;
};

void print_row(const Routing& routing, uint32_t limit) {
  const fabric::RoutingMetrics& metrics = routing.metrics;
  fmt::print("{:<12} {:>7} {:>8} {:>8} {:>9.1f} {:>8} {:>7} {:>10.3f}  {}\n", routing.algorithm,
             limit == 0 ? "any" : std::to_string(limit), metrics.colours, metrics.max_efi, metrics.mean_efi,
             metrics.max_tfi, metrics.max_height, routing.route_ms / std::max(metrics.groups, 1u),
             routing.complaint);
}

int run(const CompareOptions& options) {
  const StopRequest stop;
  const auto fabric = load_fabric(options.fabric);
  if (!fabric) return fail(fabric.status().message());
  const auto groups = load_groups(options.groups, *fabric);
  if (!groups) return fail(groups.status().message());
  auto rows = nlohmann::ordered_json::array();
  fmt::print("{:<12} {:>7} {:>8} {:>8} {:>9} {:>8} {:>7} {:>10}\n", "algorithm", "limit", "colours",
             "max EFI", "mean EFI", "max TFI", "height", "ms/group");
  for (const std::string& algorithm : k_fabric_algorithms) {
    const bool has_limit = algorithm == "guided" || algorithm == "paper";
    for (const uint32_t limit : {0u, options.how.colours}) {
      RouteOptions how = options.how;
      how.algorithm = algorithm;
      how.colours = limit;
      const auto routing = route_groups(*fabric, *groups, how);
      if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
      if (!routing) return fail(routing.status().message(), k_failed);
      print_row(*routing, limit);
      fflush(stdout);
      rows.push_back(metrics_json(*routing));
      rows.back()["colour_limit"] = limit;
      if (!has_limit || options.how.colours == 0) break;
    }
  }
  if (options.json.empty()) return k_done;
  const auto status = write_output(options.json, rows.dump(1) + "\n");
  return status ? k_done : fail(status.message(), k_failed);
}

}  // namespace

std::function<int()> add_fabric_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("FABRIC", options->fabric, "file or description")->required();
  app.add_option("GROUPS", options->groups, "file or description")->required();
  options->how.add_to(app);
  app.add_option("--json", options->json, "file for all metrics")->check(writable_file());
  return [options] { return run(*options); };
}

}  // namespace tutti::command
