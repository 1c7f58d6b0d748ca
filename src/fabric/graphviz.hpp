#pragma once
// Pictures of fabrics for Graphviz.

#include <cstdint>
#include <span>
#include <string>

#include "fabric/graph.hpp"

namespace tutti::fabric {

struct GraphvizOptions {
  bool with_hosts = false;              // otherwise a switch shows how many it has
  std::span<const LinkId> highlighted;  // links of a tree
  std::span<const HostId> members;      // hosts of a group; their switches are filled
};

/// An undirected graph. Parallel cables are one line with their number.
std::string format_graphviz(const Fabric& fabric, const GraphvizOptions& options = {});

}  // namespace tutti::fabric
