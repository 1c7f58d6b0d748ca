#include "fabric/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

Peer Fabric::peer(SwitchId id, unsigned port) const {
  if (port > switches_[id].port_count) return {};
  const Peer peer = port == 0 ? Peer{Peer::Kind::host, own_port(id)} : peers_[first_port_[id] + port - 1];
  if (peer.kind == Peer::Kind::link && is_cut_[peer.index] != 0) return {};
  if (peer.kind == Peer::Kind::host && hosts_[peer.index].at != id) return {};
  return peer;
}

std::vector<HostId> Fabric::computing_hosts() const {
  std::vector<HostId> computing;
  for (HostId id = 0; id < host_count(); ++id)
    if (!hosts_[id].is_aggregation_node()) computing.push_back(id);
  return computing;
}

SwitchId Fabric::find_switch(uint64_t guid) const {
  const auto found = switch_of_guid_.find(guid);
  return found == switch_of_guid_.end() ? k_none : found->second;
}

HostId Fabric::find_host(uint64_t port_guid) const {
  const auto found = host_of_guid_.find(port_guid);
  return found == host_of_guid_.end() ? k_none : found->second;
}

void Fabric::disconnect(SwitchId id) {
  for (unsigned port = 1; port <= switches_[id].port_count; ++port) {
    const Peer peer = peers_[first_port_[id] + port - 1];
    if (peer.kind == Peer::Kind::link) is_cut_[peer.index] = 1;
    if (peer.kind == Peer::Kind::host) hosts_[peer.index].at = k_none;
  }
  hosts_[own_port(id)].at = k_none;
  index_cables();
}

void Fabric::disconnect_link(LinkId id) {
  is_cut_[id] = 1;
  index_cables();
}

void Fabric::index_cables() {
  first_arc_.assign(1, 0);
  arcs_.clear();
  ends_.clear();
  for (SwitchId id = 0; id < switch_count(); ++id) {
    for (unsigned port = 1; port <= switches_[id].port_count; ++port) {
      const Peer there = peer(id, port);
      if (there.kind != Peer::Kind::link) continue;
      const Link& link = links_[there.index];
      if (link.a == link.b) continue;
      const bool is_a = link.a == id;
      arcs_.push_back({.to = is_a ? link.b : link.a,
                       .link = there.index,
                       .port = static_cast<Port>(port),
                       .to_port = is_a ? link.b_port : link.a_port});
      ends_.push_back(arcs_.back().to);
    }
    first_arc_.push_back(static_cast<uint32_t>(arcs_.size()));
  }
}

std::vector<SwitchId> opensm_order(const Fabric& fabric) {
  std::vector<SwitchId> order(fabric.switch_count());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](SwitchId id) { return opensm_key(fabric, id); });
  return order;
}

Result<SwitchId> FabricBuilder::add_switch(uint64_t guid, unsigned port_count, std::string name,
                                           uint64_t own_guid) {
  if (guid == 0) return Status::invalid_argument("a switch has GUID 0");
  if (port_count == 0 || port_count > k_most_ports)
    return Status::invalid_argument(
        fmt::format("switch {:016x} has {} ports; a switch has 1 to {}", guid, port_count, k_most_ports));
  const SwitchId id = fabric_.switch_count();
  if (!fabric_.switch_of_guid_.emplace(guid, id).second)
    return Status::invalid_argument(fmt::format("switch {:016x} is there twice", guid));
  fabric_.switches_.push_back({guid, static_cast<Port>(port_count), std::move(name)});
  ports_.emplace_back(port_count + 1);
  own_guids_.push_back(own_guid == 0 ? guid : own_guid);
  return id;
}

Result<HostId> FabricBuilder::add_host(uint64_t guid, uint64_t node_guid, unsigned node_port,
                                       std::string name) {
  if (guid == 0) return Status::invalid_argument("a host port has GUID 0");
  if (node_port == 0 || node_port > k_most_ports)
    return Status::invalid_argument(fmt::format("host port {:016x} is port {}", guid, node_port));
  const HostId id = host_count();
  if (!fabric_.host_of_guid_.emplace(guid, id).second)
    return Status::invalid_argument(fmt::format("host port {:016x} is there twice", guid));
  fabric_.hosts_.push_back({.guid = guid,
                            .node_guid = node_guid,
                            .node_port = static_cast<Port>(node_port),
                            .name = std::move(name)});
  return id;
}

Status FabricBuilder::take_port(SwitchId id, unsigned port, Peer peer) {
  auto& ports = ports_[id];
  const uint64_t guid = fabric_.switches_[id].guid;
  if (port == 0 || port >= ports.size())
    return Status::invalid_argument(
        fmt::format("switch {:016x} has ports 1 to {}, but a cable at {}", guid, ports.size() - 1, port));
  if (ports[port].kind != Peer::Kind::nothing)
    return Status::invalid_argument(fmt::format("switch {:016x} port {} has two cables", guid, port));
  ports[port] = peer;
  return {};
}

Status FabricBuilder::connect(SwitchId a, unsigned a_port, SwitchId b, unsigned b_port) {
  const Peer peer{Peer::Kind::link, fabric_.link_count()};
  if (auto status = take_port(a, a_port, peer); !status) return status;
  if (auto status = take_port(b, b_port, peer); !status) {
    ports_[a][a_port] = {};
    return status;
  }
  fabric_.links_.push_back({a, b, static_cast<Port>(a_port), static_cast<Port>(b_port)});
  return {};
}

Status FabricBuilder::attach(HostId host, SwitchId at, unsigned port) {
  HostNode& node = fabric_.hosts_[host];
  if (node.at != k_none)
    return Status::invalid_argument(fmt::format("host port {:016x} has two cables", node.guid));
  if (auto status = take_port(at, port, {Peer::Kind::host, host}); !status) return status;
  node.at = at;
  node.at_port = static_cast<Port>(port);
  return {};
}

bool FabricBuilder::is_cabled(SwitchId id, unsigned port) const {
  return port < ports_[id].size() && ports_[id][port].kind != Peer::Kind::nothing;
}

void FabricBuilder::add_own_ports() {
  for (SwitchId id = 0; id < fabric_.switch_count(); ++id) {
    const SwitchNode& node = fabric_.switch_node(id);
    // If a host has the same GUID, the host keeps it: a file may number hosts and switches from the same
    // value.
    fabric_.host_of_guid_.emplace(own_guids_[id], host_count());
    fabric_.hosts_.push_back({.guid = own_guids_[id],
                              .node_guid = node.guid,
                              .node_port = 0,
                              .at_port = 0,
                              .at = id,
                              .name = node.name});
  }
  own_guids_.clear();
}

Result<Fabric> FabricBuilder::finish() {
  if (fabric_.switch_count() == 0) return Status::invalid_argument("there is no switch");
  add_own_ports();
  Fabric done = std::exchange(fabric_, {});
  done.is_cut_.assign(done.links_.size(), 0);
  done.first_port_.assign(1, 0);
  for (const auto& ports : ports_) {
    done.peers_.insert(done.peers_.end(), ports.begin() + 1, ports.end());
    done.first_port_.push_back(static_cast<uint32_t>(done.peers_.size()));
  }
  ports_.clear();
  done.index_cables();
  return done;
}

}  // namespace tutti::fabric
