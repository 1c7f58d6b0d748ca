#pragma once
// Shared by the parts of `tutti fabric`: loading of fabrics and groups from files or descriptions, and routing options.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "fabric/graph.hpp"
#include "fabric/groups.hpp"
#include "fabric/router.hpp"

namespace tutti::command {

/// Options of the routing algorithm.
struct RouteOptions {
  std::string algorithm = "guided";  // or paper, minihop-mc, sssp-mc, sssp-opensm
  std::string merge = "keep";
  std::string effort = "quick";
  uint32_t colours = 0;  // 0: no limit
  uint64_t seed = 1;
  unsigned threads = 1;

  void add_to(CLI::App& app);
  fabric::RouterOptions router_options() const;
};

/// Loads a file (ibnetdiscover, ibsim), or a description like "fat-tree:ports=8".
base::Result<fabric::Fabric> load_fabric(const std::string& where);
/// Loads a file, or a description like "grid:256x34".
base::Result<fabric::GroupSet> load_groups(const std::string& where, const fabric::Fabric& fabric);

// One file each. They add themselves to `tutti fabric` and return their action.
std::function<int()> add_fabric_generate(CLI::App& app);
std::function<int()> add_fabric_show(CLI::App& app);
std::function<int()> add_fabric_route(CLI::App& app);
std::function<int()> add_fabric_verify(CLI::App& app);
std::function<int()> add_fabric_compare(CLI::App& app);
std::function<int()> add_fabric_draw(CLI::App& app);

}  // namespace tutti::command
