#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "fabric/topology_file.hpp"

namespace tutti::fabric {

namespace {

using Output = std::back_insert_iterator<std::string>;

/// Replaces quotes and control characters, which the file format cannot contain in names.
std::string printable(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == '"' || c < ' ' || c == 0x7f; }, '_');
  return name;
}

void format_switch(Output out, const Fabric& fabric, SwitchId id) {
  const SwitchNode& node = fabric.switch_node(id);
  const uint64_t own_guid = fabric.host(fabric.own_port(id)).guid;
  fmt::format_to(out, "switchguid={:#x}{}\nSwitch\t{} \"S-{:016x}\"\t\t# \"{}\"\n", node.guid,
                 own_guid == node.guid ? "" : fmt::format("({:x})", own_guid), node.port_count, node.guid,
                 printable(node.name));
  for (unsigned port = 1; port <= node.port_count; ++port) {
    const Peer peer = fabric.peer(id, port);
    if (peer.kind == Peer::Kind::host) {
      const HostNode& host = fabric.host(peer.index);
      fmt::format_to(out, "[{}]\t\"H-{:016x}\"[{}]({:x})\n", port, host.node_guid, host.node_port, host.guid);
    } else if (peer.kind == Peer::Kind::link) {
      const Link& link = fabric.link(peer.index);
      const bool is_a = link.a == id && link.a_port == port;
      fmt::format_to(out, "[{}]\t\"S-{:016x}\"[{}]\n", port, fabric.switch_node(is_a ? link.b : link.a).guid,
                     is_a ? link.b_port : link.a_port);
    }
  }
  fmt::format_to(out, "\n");
}

void format_host(Output out, const Fabric& fabric, const std::vector<HostId>& ports) {
  const HostNode& first = fabric.host(ports.front());
  Port most = 1;
  for (const HostId id : ports) most = std::max(most, fabric.host(id).node_port);
  fmt::format_to(out, "caguid={:#x}\nCa\t{} \"H-{:016x}\"\t\t# \"{}\"\n", first.node_guid, most,
                 first.node_guid, printable(first.name));
  for (const HostId id : ports) {
    const HostNode& port = fabric.host(id);
    if (port.at == k_none) continue;
    fmt::format_to(out, "[{}]({:x})\t\"S-{:016x}\"[{}]\n", port.node_port, port.guid,
                   fabric.switch_node(port.at).guid, port.at_port);
  }
  fmt::format_to(out, "\n");
}

}  // namespace

std::string format_ibsim(const Fabric& fabric) {
  std::string text;
  for (SwitchId id = 0; id < fabric.switch_count(); ++id) format_switch(std::back_inserter(text), fabric, id);
  // Nodes in the order of their first port; all ports of a node stand together.
  std::map<uint64_t, std::vector<HostId>> ports_of_node;
  for (HostId id = 0; id < fabric.host_count(); ++id) ports_of_node[fabric.host(id).node_guid].push_back(id);
  for (HostId id = 0; id < fabric.host_count(); ++id) {
    const auto& ports = ports_of_node[fabric.host(id).node_guid];
    if (ports.front() == id) format_host(std::back_inserter(text), fabric, ports);
  }
  return text;
}

}  // namespace tutti::fabric
