#include <fmt/format.h>

#include "interconnect/network_topology.hpp"

namespace tutti::interconnect {

using base::Result;
using base::Status;

namespace {

/// Groups of routers; all routers of a group are connected pairwise, and so are all groups (Kim, Dally,
/// Scott, Abts, ISCA 2008). Ports of a router: its nodes, the other routers of its group, its cables to other
/// groups. Cable k of a group, counted over its routers, leads to the group k mod (groups - 1) + 1 further
/// on; if there are enough cables, every pair of groups has several. Packets take the direct path: to the
/// router with the cable, over it, to the destination.
class Dragonfly final : public NetworkTopology {
 public:
  Dragonfly(const DragonflySize& size, uint32_t groups)
      : size_(size), groups_(groups), copies_(groups > 1 ? size.routers * size.cables / (groups - 1) : 0) {}

  std::string describe() const override {
    return fmt::format("dragonfly of {} groups of {} routers, {} nodes and {} cables each", groups_,
                       size_.routers, size_.nodes, size_.cables);
  }
  uint32_t nodes() const override { return routers() * size_.nodes; }
  uint32_t routers() const override { return groups_ * size_.routers; }
  uint32_t ports() const override { return size_.nodes + size_.routers - 1 + size_.cables; }
  uint32_t lanes() const override { return 2; }

  Peer peer(uint32_t router, uint32_t port) const override {
    const uint32_t group = router / size_.routers, member = router % size_.routers;
    if (port < size_.nodes) return {.node = router * size_.nodes + port};
    port -= size_.nodes;
    if (port < size_.routers - 1) {
      const uint32_t other = port < member ? port : port + 1;
      return {.router = group * size_.routers + other, .port = local_port(other, member)};
    }
    const uint32_t cable = member * size_.cables + port - (size_.routers - 1);
    if (cable >= copies_ * (groups_ - 1)) return {};
    const uint32_t copy = cable / (groups_ - 1), step = cable % (groups_ - 1);
    const uint32_t other = (group + step + 1) % groups_;
    const uint32_t back = copy * (groups_ - 1) + (groups_ - 2 - step);
    return {.router = other * size_.routers + back / size_.cables, .port = cable_port(back)};
  }

  Peer attachment(uint32_t node) const override {
    return {.router = node / size_.nodes, .port = node % size_.nodes, .node = node};
  }

  /// Lane 1 begins after the cable between groups.
  Step route(uint32_t router, uint32_t, uint32_t lane, uint32_t, uint32_t destination) const override {
    const uint32_t group = router / size_.routers, member = router % size_.routers;
    const uint32_t last = destination / size_.nodes, last_group = last / size_.routers;
    if (router == last) return {.port = destination % size_.nodes};
    if (group == last_group) return {.port = local_port(member, last % size_.routers), .lane = lane};
    const uint32_t step = (last_group + groups_ - group - 1) % groups_;
    const uint32_t cable = last % copies_ * (groups_ - 1) + step;
    if (cable / size_.cables == member) return {.port = cable_port(cable), .lane = 1};
    return {.port = local_port(member, cable / size_.cables)};
  }

  bool is_global(uint32_t, uint32_t port) const override { return port >= size_.nodes + size_.routers - 1; }

 private:
  uint32_t local_port(uint32_t member, uint32_t other) const {
    return size_.nodes + (other < member ? other : other - 1);
  }
  uint32_t cable_port(uint32_t cable) const { return size_.nodes + size_.routers - 1 + cable % size_.cables; }

  DragonflySize size_;
  uint32_t groups_, copies_;
};

}  // namespace

DragonflySize dragonfly_for(uint32_t nodes) {
  for (uint32_t cables = 1;; ++cables) {
    const DragonflySize size{.routers = 2 * cables, .cables = cables, .nodes = cables};
    if (uint64_t{size.routers} * size.nodes * (uint64_t{size.routers} * cables + 1) >= nodes) return size;
  }
}

Result<std::unique_ptr<NetworkTopology>> make_dragonfly(uint32_t nodes, const DragonflySize& size) {
  constexpr uint32_t k_most = 256;
  for (const uint32_t number : {size.routers, size.cables, size.nodes})
    if (number < 1 || number > k_most)
      return Status::invalid_argument(
          fmt::format("a dragonfly has 1 to {} routers in a group, cables and nodes at a router, not {}",
                      k_most, number));
  const uint64_t per_group = uint64_t{size.routers} * size.nodes;
  const uint64_t groups = (uint64_t{nodes} + per_group - 1) / per_group;
  if (const uint64_t most = uint64_t{size.routers} * size.cables + 1; groups > most)
    return Status::invalid_argument(
        fmt::format("a dragonfly of this kind has room for {} nodes, not for {}", most * per_group, nodes));
  return std::unique_ptr<NetworkTopology>(std::make_unique<Dragonfly>(size, static_cast<uint32_t>(groups)));
}

}  // namespace tutti::interconnect
