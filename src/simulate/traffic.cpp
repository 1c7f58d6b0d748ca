#include "simulate/traffic.hpp"

#include <algorithm>
#include <vector>

namespace tutti::simulate {

using schedule::Peer;
using schedule::Rank;
using schedule::Task;
using schedule::TaskKind;

namespace {

class Links {
 public:
  explicit Links(const interconnect::NetworkTopology& topology)
      : topology_(topology), bytes_(size_t{topology.routers()} * topology.ports()) {}

  void carry(uint32_t from, uint32_t to, uint64_t bytes, Traffic& traffic) {
    interconnect::follow_route(topology_, from, to, [&](uint32_t router, uint32_t port) {
      uint64_t& carried = bytes_[size_t{router} * topology_.ports() + port];
      carried += bytes;
      traffic.link_bytes += bytes;
      traffic.busiest_link_bytes = std::max(traffic.busiest_link_bytes, carried);
      if (topology_.is_global(router, port)) traffic.global_bytes += bytes;
    });
  }

 private:
  const interconnect::NetworkTopology& topology_;
  std::vector<uint64_t> bytes_;  // by router and port
};

}  // namespace

Traffic traffic_of(std::span<const schedule::Schedule> every_rank, const topology::Topology& topology,
                   std::span<const uint32_t> place_of_node, const interconnect::NetworkTopology& links) {
  Traffic traffic;
  Links carried(links);
  for (Rank rank = 0; rank < static_cast<Rank>(every_rank.size()); ++rank)
    for (const Task& task : every_rank[static_cast<size_t>(rank)].tasks()) {
      if (task.kind != TaskKind::send) continue;
      const auto from = static_cast<size_t>(topology.node_of(rank));
      const auto to = static_cast<size_t>(
          task.peer.kind == Peer::Kind::node ? task.peer.index : topology.node_of(task.peer.index));
      const uint64_t bytes = task.source.length;
      const bool is_local = from == to;
      ++(is_local ? traffic.local_messages : traffic.messages);
      (is_local ? traffic.local_bytes : traffic.bytes) += bytes;
      if (!is_local) carried.carry(place_of_node[from], place_of_node[to], bytes, traffic);
    }
  return traffic;
}

}  // namespace tutti::simulate
