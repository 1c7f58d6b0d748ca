#include "command/fabric/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "command/output.hpp"
#include "fabric/baselines.hpp"

namespace tutti::command {

using base::Result;
using base::Status;
using nlohmann::ordered_json;

namespace {

/// CPU time of all threads of the process, which is meaningful also on a shared machine.
class Watch {
 public:
  /// Milliseconds since the last call, or since construction.
  double lap_ms() {
    const double now = now_ms(), lap = now - start_ms_;
    start_ms_ = now;
    return lap;
  }

 private:
  static double now_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  }

  double start_ms_ = now_ms();
};

Result<Routing> route_by_router(const fabric::Fabric& fabric, const fabric::GroupSet& groups,
                                const RouteOptions& options) {
  Watch watch;
  auto router = fabric::Router::create(fabric, options.router_options());
  if (!router) return router.status();
  const double hops_ms = watch.lap_ms();
  ProgressLine progress(options.algorithm, groups.size());
  const Status status = router->join_all(groups, [&](uint32_t done) {
    progress.show(done);
    return !StopRequest::is_asked();
  });
  if (!status) return status;
  const double route_ms = watch.lap_ms();
  Routing routing{options.algorithm, router->tables(), {},       {}, {},
                  router->counts(),  hops_ms,          route_ms, 0,  router->memory_bytes()};
  for (fabric::GroupId id = 0; id < groups.size(); ++id) routing.colours.push_back(router->colour(id));
  return routing;
}

std::optional<fabric::Baseline> baseline_of(const std::string& algorithm) {
  if (algorithm == "minihop-mc") return fabric::Baseline::minihop_mc;
  if (algorithm == "sssp-mc") return fabric::Baseline::sssp_mc;
  if (algorithm == "sssp-opensm") return fabric::Baseline::sssp_opensm;
  return std::nullopt;
}

Result<Routing> route_by_baseline(const fabric::Fabric& fabric, const fabric::GroupSet& groups,
                                  const RouteOptions& options) {
  Watch watch;
  const auto hops = fabric::HopTable::compute(fabric, options.threads);
  if (!hops) return hops.status();
  const double hops_ms = watch.lap_ms();
  auto tables = fabric::route_baseline(*baseline_of(options.algorithm), fabric, *hops, groups);
  if (!tables) return tables.status();
  Routing routing{options.algorithm,   std::move(*tables), {}, {}, {}, {}, hops_ms, watch.lap_ms(), 0,
                  hops->memory_bytes()};
  for (fabric::GroupId id = 0; id < groups.size(); ++id) routing.colours.push_back(id);
  return routing;
}

/// Counts that are defined for tables that the verifier rejects.
void count_only(Routing& routing, const fabric::Fabric& fabric) {
  routing.metrics = {};
  routing.metrics.groups = routing.metrics.trees = routing.metrics.colours =
      static_cast<uint32_t>(routing.colours.size());
  routing.metrics.max_tfi = 1;
  routing.metrics.mean_tfi = 1;
  for (const uint32_t efi : fabric::count_efi(fabric, routing.tables)) {
    routing.metrics.max_efi = std::max(routing.metrics.max_efi, efi);
    if (efi >= routing.metrics.efi.size()) routing.metrics.efi.resize(efi + size_t{1});
    ++routing.metrics.efi[efi];
  }
}

}  // namespace

Result<Routing> route_groups(const fabric::Fabric& fabric, const fabric::GroupSet& groups,
                             const RouteOptions& options) {
  const bool is_baseline = baseline_of(options.algorithm).has_value();
  auto routing =
      is_baseline ? route_by_baseline(fabric, groups, options) : route_by_router(fabric, groups, options);
  if (!routing || StopRequest::is_asked()) return routing;
  Watch watch;
  const uint32_t limit = options.colours == 0 ? fabric::k_none : options.colours;
  const auto metrics =
      fabric::verify(fabric, groups, routing->colours, routing->tables, is_baseline ? fabric::k_none : limit);
  routing->verify_ms = watch.lap_ms();
  if (metrics) {
    routing->metrics = *metrics;
    if (metrics->colours > limit)  // a baseline uses one per group, regardless of the table size
      routing->complaint = fmt::format("{} takes {} colours, but only {} are allowed", options.algorithm,
                                       metrics->colours, limit);
  } else if (is_baseline) {
    routing->complaint = metrics.status().message();
    count_only(*routing, fabric);
  } else {
    return Status::internal("the verifier says: " + metrics.status().message());
  }
  return routing;
}

ordered_json bounds_json(const fabric::LowerBounds& bounds) {
  const auto one = [](const fabric::LowerBound& bound) {
    return ordered_json{{"value", bound.value}, {"reason", bound.reason}};
  };
  return {{"colours", one(bounds.colours)}, {"efi", one(bounds.efi)}, {"tfi", one(bounds.tfi)}};
}

ordered_json metrics_json(const Routing& routing) {
  const fabric::RoutingMetrics& metrics = routing.metrics;
  const double groups = std::max(metrics.groups, 1u);
  auto trees_of_colours = ordered_json::array(), groups_of_colours = ordered_json::array();
  for (const fabric::RoutingMetrics::ColourUse& colour : metrics.by_colour) {
    trees_of_colours.push_back(colour.trees);
    groups_of_colours.push_back(colour.groups);
  }
  return {{"algorithm", routing.algorithm},
          {"verified", routing.complaint.empty()},
          {"complaint", routing.complaint},
          {"groups", metrics.groups},
          {"trees", metrics.trees},
          {"colours", metrics.colours},
          {"by_colour", {{"trees", trees_of_colours}, {"groups", groups_of_colours}}},
          {"fullest_table", metrics.fullest_table},
          {"efi", {{"max", metrics.max_efi}, {"mean", metrics.mean_efi}, {"links_with", metrics.efi}}},
          {"host_efi", {{"max", metrics.max_host_efi}}},
          {"tfi", {{"max", metrics.max_tfi}, {"mean", metrics.mean_tfi}}},
          {"filtered", metrics.filtered},
          {"height", {{"max", metrics.max_height}, {"trees_with", metrics.heights}}},
          {"placed",
           {{"fbtc", routing.counts.fbtc},
            {"fctb", routing.counts.fctb},
            {"opened", routing.counts.opened},
            {"shared", routing.counts.shared},
            {"merged", routing.counts.merged}}},
          {"cpu_ms",
           {{"hops", routing.hops_ms},
            {"route", routing.route_ms},
            {"route_per_group", routing.route_ms / groups},
            {"verify", routing.verify_ms}}},
          {"memory_bytes", routing.memory_bytes}};
}

ordered_json routing_json(const Routing& routing, const fabric::Fabric& fabric,
                          const fabric::GroupSet& groups) {
  ordered_json json = {{"schema", 1}, {"metrics", metrics_json(routing)}};
  ordered_json& mlids = json["mlids"] = ordered_json::object();
  for (fabric::GroupId id = 0; id < groups.size(); ++id)
    mlids[to_string(groups.mgid(id))] = fmt::format("{:#06x}", fabric::k_first_mlid + routing.colours[id]);
  ordered_json& switches = json["switches"] = ordered_json::object();
  for (fabric::SwitchId id = 0; id < fabric.switch_count(); ++id) {
    ordered_json entries = ordered_json::object();
    for (const fabric::TablePort& port : routing.tables.at(id))
      entries[fmt::format("{:#06x}", fabric::k_first_mlid + port.colour)].push_back(port.port);
    if (!entries.empty()) switches[fmt::format("{:#018x}", fabric.switch_node(id).guid)] = std::move(entries);
  }
  return json;
}

}  // namespace tutti::command
