#pragma once
// Drawings of fabrics for Graphviz.

#include <cstdint>
#include <span>
#include <string>

#include "fabric/graph.hpp"

namespace tutti::fabric {

struct GraphvizOptions {
  bool with_hosts = false;              // if not, a switch shows the number of its hosts
  std::span<const LinkId> highlighted;  // links of a tree
  std::span<const HostId> members;      // hosts of a group; their switches are filled
};

/// Returns an undirected graph. Parallel cables are drawn as one line with their number.
std::string format_graphviz(const Fabric& fabric, const GraphvizOptions& options = {});

}  // namespace tutti::fabric
