// tutti fabric route FABRIC GROUPS --colours 128 --dump tables --mlids mlids --json routing.json

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command/command.hpp"
#include "command/fabric/options.hpp"
#include "command/fabric/routing.hpp"
#include "command/output.hpp"
#include "command/validators.hpp"
#include "fabric/mlid_file.hpp"

namespace tutti::command {

namespace {

struct RouteCommand {
  RouteOptions how;
  std::string fabric, groups, dump, json, mlids;
  bool with_bounds = false, metrics_only = false;
};

void print_summary(const Routing& routing) {
  const fabric::RoutingMetrics& metrics = routing.metrics;
  fmt::print("{}: {} groups in {} trees of {} colours\n", routing.algorithm, metrics.groups, metrics.trees,
             metrics.colours);
  fmt::print("EFI      {} at most, {:.1f} on average (cables between switches); {} at most at a host\n",
             metrics.max_efi, metrics.mean_efi, metrics.max_host_efi);
  fmt::print("TFI      {} at most, {:.2f} on average; {} deliveries filtered by MGID\n", metrics.max_tfi,
             metrics.mean_tfi, metrics.filtered);
  fmt::print("height   {} at most\nentries  {} in the fullest table\n", metrics.max_height,
             metrics.fullest_table);
  fmt::print(
      "time     {:.0f} ms, {:.3f} ms a group (and {:.0f} ms for the table of hops)\nmemory   {:.0f} MB\n",
      routing.route_ms, routing.route_ms / std::max(metrics.groups, 1u), routing.hops_ms,
      static_cast<double>(routing.memory_bytes) / 1e6);
  if (routing.complaint.empty()) fmt::print("verified in {:.0f} ms\n", routing.verify_ms);
}

void print_bounds(const fabric::LowerBounds& bounds) {
  fmt::print("no routing can have fewer colours than {} ({}), unless it merges\n", bounds.colours.value,
             bounds.colours.reason);
  fmt::print("nor a smaller greatest EFI than {} ({})\n", bounds.efi.value, bounds.efi.reason);
  fmt::print("nor a smaller greatest TFI than {} ({})\n", bounds.tfi.value, bounds.tfi.reason);
}

int run(const RouteCommand& options) {
  const StopRequest stop;
  const auto fabric = load_fabric(options.fabric);
  if (!fabric) return fail(fabric.status().message());
  const auto groups = load_groups(options.groups, *fabric);
  if (!groups) return fail(groups.status().message());
  const auto routing = route_groups(*fabric, *groups, options.how);
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!routing) return fail(routing.status().message(), k_failed);
  nlohmann::ordered_json bounds;
  if (options.with_bounds) {
    const auto hops = fabric::HopTable::compute(*fabric, options.how.threads);
    if (!hops) return fail(hops.status().message());
    const auto found = fabric::lower_bounds(*fabric, *hops, *groups, options.how.colours);
    print_bounds(found);
    bounds = bounds_json(found);
  }
  const auto json = [&] {
    auto whole = options.metrics_only
                     ? nlohmann::ordered_json{{"schema", 1}, {"metrics", metrics_json(*routing)}}
                     : routing_json(*routing, *fabric, *groups);
    if (options.with_bounds) whole["bounds"] = bounds;
    return whole.dump(1) + "\n";
  };
  const auto write = [](const std::string& name, const auto& text) {
    return name.empty() ? base::Status{} : write_output(name, text());
  };
  for (const auto& status :
       {write(options.dump, [&] { return fabric::format_dump(routing->tables, *fabric); }),
        write(options.mlids, [&] { return fabric::format_mlids(*groups, routing->colours); }),
        write(options.json, json)})
    if (!status) return fail(status.message(), k_failed);
  const bool is_output_taken = options.dump == "-" || options.json == "-" || options.mlids == "-";
  if (!is_output_taken) print_summary(*routing);
  return routing->complaint.empty() ? k_done : fail("the verifier says: " + routing->complaint, k_failed);
}

}  // namespace

std::function<int()> add_fabric_route(CLI::App& app) {
  auto options = std::make_shared<RouteCommand>();
  app.add_option("FABRIC", options->fabric, "file or description")->required();
  app.add_option("GROUPS", options->groups, "file or description")->required();
  app.add_option("--algorithm", options->how.algorithm, "guided, paper, minihop-mc, sssp-mc or sssp-opensm")
      ->check(one_of(k_fabric_algorithms))
      ->capture_default_str();
  options->how.add_to(app);
  app.add_option("--dump", options->dump, "file for the tables, as OpenSM dumps them (opensm.mcfdbs)")
      ->check(writable_file());
  app.add_option("--mlids", options->mlids, "file for the MLID of each MGID")->check(writable_file());
  app.add_option("--json", options->json, "file for metrics, MLIDs and tables")->check(writable_file());
  app.add_flag("--metrics-only", options->metrics_only, "leave MLIDs and tables out of the JSON file");
  app.add_flag("--bounds", options->with_bounds, "also print lower bounds and their reasons");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
