#pragma once
// Routes all groups by one algorithm, verifies the result and measures it.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command/fabric/options.hpp"
#include "fabric/bounds.hpp"
#include "fabric/router.hpp"
#include "fabric/tables.hpp"
#include "fabric/verify.hpp"

namespace tutti::command {

struct Routing {
  std::string algorithm;
  fabric::MulticastTables tables;
  std::vector<fabric::Colour> colours;  // by group
  fabric::RoutingMetrics metrics;
  std::string complaint;  // the verifier's complaint about a baseline's tables; then metrics has only counts
  fabric::RouterCounts counts;
  double hops_ms = 0, route_ms = 0, verify_ms = 0;  // CPU times; route_ms excludes the table of hops
  size_t memory_bytes = 0;                          // of the router
};

/// The values of --algorithm.
inline const std::vector<std::string> k_fabric_algorithms{"guided", "paper", "minihop-mc", "sssp-mc",
                                                          "sssp-opensm"};

/// Routes and verifies. A complaint of the verifier about guided or paper is an error (internal). Errors: those of the
/// router; not_supported after Ctrl-C.
base::Result<Routing> route_groups(const fabric::Fabric& fabric, const fabric::GroupSet& groups,
                                   const RouteOptions& options);

nlohmann::ordered_json metrics_json(const Routing& routing);
nlohmann::ordered_json bounds_json(const fabric::LowerBounds& bounds);

/// Metrics, MLIDs by MGID, and the tables: for each switch a map from MLID to ports.
nlohmann::ordered_json routing_json(const Routing& routing, const fabric::Fabric& fabric,
                                    const fabric::GroupSet& groups);

}  // namespace tutti::command
