#pragma once
// Topology and routing: a 3D torus with dimension-order routing (paper 003 §3), a fat tree, and a dragonfly.
// Pure; any thread.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace tutti::interconnect {

inline constexpr uint32_t k_nowhere = UINT32_MAX;

/// The other end of a router's port.
struct Peer {
  uint32_t router = k_nowhere;  // k_nowhere: a node, or no cable
  uint32_t port = 0;
  uint32_t node = k_nowhere;  // the node at this port, or k_nowhere
};

/// The port by which a packet leaves a router.
struct Step {
  uint32_t port = 0;
  uint32_t lane = 0;  // virtual channel of its class on the next link: 0 … lanes() - 1
};

class NetworkTopology {
 public:
  virtual ~NetworkTopology() = default;

  virtual std::string describe() const = 0;  // "torus 8x4x4"
  virtual uint32_t nodes() const = 0;        // capacity; programs may use fewer
  virtual uint32_t routers() const = 0;
  virtual uint32_t ports() const = 0;  // of every router; some may be without cable
  /// Number of virtual channels per class that make routing deadlock-free.
  virtual uint32_t lanes() const = 0;
  virtual Peer peer(uint32_t router, uint32_t port) const = 0;
  /// The router and port to which a node is attached.
  virtual Peer attachment(uint32_t node) const = 0;
  /// The next step from `router` for a packet of `source` to `destination` that came in at `port` on `lane`.
  virtual Step route(uint32_t router, uint32_t port, uint32_t lane, uint32_t source,
                     uint32_t destination) const = 0;
  /// True for long cables: between groups of a dragonfly, to the highest switches of a fat tree.
  virtual bool is_global(uint32_t router, uint32_t port) const = 0;
};

/// Calls `pass(router, port)` for every cable between routers on the path of a packet.
template <class Pass>
void follow_route(const NetworkTopology& topology, uint32_t source, uint32_t destination, Pass pass) {
  Peer at = topology.attachment(source);
  uint32_t lane = 0;
  while (true) {
    const Step step = topology.route(at.router, at.port, lane, source, destination);
    const Peer next = topology.peer(at.router, step.port);
    if (next.router == k_nowhere) return;
    pass(at.router, step.port);
    at = next;
    lane = step.lane;
  }
}

/// Number of routers on the path from `source` to `destination`, both included.
uint32_t routers_between(const NetworkTopology& topology, uint32_t source, uint32_t destination);

/// A 3D torus; node n has the coordinates (n mod x, n / x mod y, n / xy). Dimension order x, y, z, in the
/// shorter direction; if both are equal, nodes at even coordinates go up and the others down. A packet
/// changes from lane 0 to lane 1 in a dimension when it crosses the cable between the last and the first
/// router (Dally and Seitz 1987), and starts with lane 0 in the next one. Every size is 1 … 1024, and their
/// product at most 2^22.
base::Result<std::unique_ptr<NetworkTopology>> make_torus(std::array<uint32_t, 3> size);

/// Chooses the fewest routers with room for `nodes` such that the longest side is at most three times the
/// shortest; among equal ones, the smallest sum of sides. Sides in descending order.
std::array<uint32_t, 3> torus_for(uint32_t nodes);

/// A folded Clos network of switches with `ports` ports, half of them downwards, and as few levels (1 to 4)
/// as `nodes` need. The path up follows the destination's digits, so that packets to one node meet early; the
/// path down is unique. `ports` is even, 4 … 128.
base::Result<std::unique_ptr<NetworkTopology>> make_fat_tree(uint32_t nodes, uint32_t ports);

/// Numbers of routers in a group, of cables to other groups at each router, and of nodes at each router.
struct DragonflySize {
  uint32_t routers = 0, cables = 0, nodes = 0;
};

/// The smallest balanced size (twice as many routers as cables, as many nodes as cables) with room for
/// `nodes`.
DragonflySize dragonfly_for(uint32_t nodes);

/// As many groups as `nodes` need, all connected pairwise. Every number of `size` is 1 … 256.
base::Result<std::unique_ptr<NetworkTopology>> make_dragonfly(uint32_t nodes, const DragonflySize& size);

/// "torus", "torus:8x4x4", "fat-tree", "fat-tree:36" (ports per switch), "dragonfly" or "dragonfly:8x4x4"
/// (routers in a group, cables and nodes at each router). Error: invalid_argument, also when the topology has
/// too few nodes for `nodes` (1 … 2^20).
base::Result<std::unique_ptr<NetworkTopology>> make_topology(std::string_view what, uint32_t nodes);

}  // namespace tutti::interconnect
