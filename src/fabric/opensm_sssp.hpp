#pragma once
// The shortest-path trees of OpenSM's SSSP and DFSSSP engines (osm_ucast_dfsssp.c, 3.3.23), to the last tie.
//
// Unicast comes first. Dijkstra's algorithm runs from every end port and every switch in turn. After each run
// the weight of every link on its paths grows by the number of end ports behind it. Multicast then runs once
// from the root of each group, over the resulting weights, and never changes them. Ties are broken by the
// order in which OpenSM's 4-ary heap returns equal keys.

#include <cstdint>
#include <vector>

#include "fabric/graph.hpp"

namespace tutti::fabric {

/// Kept for one fabric; not for several threads at once. The fabric has to outlive it.
class OpensmSssp {
 public:
  /// Routes unicast: as many runs over the fabric as it has hosts and switches.
  explicit OpensmSssp(const Fabric& fabric);

  /// One run from a switch. Afterwards way_to() tells the last arc of the way to each other switch.
  void run_from(SwitchId root);

  /// The arc that leads to this switch on its way from the root, and the switch where it begins; no arc for
  /// the root and for switches out of reach.
  struct Step {
    SwitchId from = k_none;
    const Arc* arc = nullptr;
  };
  Step way_to(SwitchId id) const;

 private:
  using Node = uint32_t;  // a switch by its place in OpenSM's order; the last one is the end port of a run
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
