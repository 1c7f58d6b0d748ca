#pragma once
// The shortest-path trees of OpenSM's SSSP and DFSSSP engines (osm_ucast_dfsssp.c, 3.3.23), including the
// order of ties.
//
// Unicast comes first. Dijkstra's algorithm runs from every end port and every switch in turn. After each run
// the weight of every link on its paths grows by the number of end ports behind it. Multicast then runs once
// from the root of each group, over the resulting weights, and never changes them. Ties are broken by the
// order in which OpenSM's 4-ary heap returns equal keys.

#include <cstdint>
#include <vector>

#include "fabric/graph.hpp"

namespace tutti::fabric {

/// Works for one fabric, which must outlive it. Not thread-safe.
class OpensmSssp {
 public:
  /// Routes unicast: one run for each host and each switch of the fabric.
  explicit OpensmSssp(const Fabric& fabric);

  /// Runs Dijkstra's algorithm once from a switch. Afterwards way_to() returns the last arc of the path to
  /// each switch.
  void run_from(SwitchId root);

  /// The last arc of the path from the root to this switch, and the switch where the arc begins. No arc for
  /// the root and for unreachable switches.
  struct Step {
    SwitchId from = k_none;
    const Arc* arc = nullptr;
  };
  Step way_to(SwitchId id) const;

 private:
  using Node = uint32_t;  // index of a switch in OpenSM's order; the last one is the end port of a run
  struct Edge {
    Node to;
    const Arc* arc;
    uint64_t weight;
  };
  struct Used {
    Node from = k_none;
    uint32_t edge = 0;  // of `from`
  };
  class Heap;

  void run(Node source);
  void add_weights();
  void route_unicast();

  const Fabric& fabric_;
  std::vector<SwitchId> order_;  // node -> switch
  std::vector<Node> node_of_;    // switch -> node
  std::vector<std::vector<Edge>> edges_;
  std::vector<Used> used_;
  std::vector<uint32_t> end_ports_;  // per switch node: hosts, and the switch itself
};

}  // namespace tutti::fabric
