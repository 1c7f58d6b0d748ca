#include "fabric/topology_file.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/text.hpp"
#include "fabric/parse_util.hpp"
#include "fabric/topology_lines.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

// GUIDs that ibsim assigns to nodes without one in the file (sim_net.c).
constexpr uint64_t k_ibsim_switch_guid = 0x200000;
constexpr uint64_t k_ibsim_host_guid = 0x100000;

struct Cable {
  uint32_t node;  // the end at which the file lists the cable
  size_t line;
  PortLine end;
};

/// Reads the text line by line, and then builds the fabric that it describes.
class TopologyReader {
 public:
  explicit TopologyReader(std::string_view origin) : origin_(origin) {}

  Status read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_)
      if (Status status = read_line(take_line(text)); !status) return at_line(line_, status);
    return {};
  }

  Result<Fabric> build() {
    for (const Cable& cable : cables_) describe_host(cable);
    for (uint32_t node = 0; node < nodes_.size(); ++node)
      if (Status status = add_node(node); !status) return at_line(nodes_[node].line, status);
    for (const Cable& cable : cables_)
      if (Status status = note_host_port(cable); !status) return at_line(cable.line, status);
    if (Status status = add_hosts(); !status) return status;
    for (const Cable& cable : cables_)
      if (Status status = add_cable(cable); !status) return at_line(cable.line, status);
    auto fabric = builder_.finish();
    if (!fabric) return Status::invalid_argument(fmt::format("{}: {}", origin_, fabric.status().message()));
    return fabric;
  }

 private:
  struct Node {
    NodeLine what;
    size_t line = 0;
    uint64_t guid = 0;
    uint64_t own_guid = 0;                // of a switch's port 0; 0: equal to the switch's
    SwitchId id = k_none;                 // of a switch
    std::map<unsigned, uint64_t> ports;   // of a host: GUIDs of those with a cable
    std::map<unsigned, HostId> host_ids;  // likewise
  };

  Status at_line(size_t line, const Status& status) const {
    return Status::invalid_argument(fmt::format("{}:{}: {}", origin_, line, status.message()));
  }

  Status read_line(std::string_view line) {
    auto parsed = parse_topology_line(line);
    if (!parsed) return parsed.status();
    if (const auto* guid = std::get_if<GuidLine>(&*parsed)) next_guid_ = *guid;
    if (const auto* node = std::get_if<NodeLine>(&*parsed)) return read_node(*node);
    if (const auto* port = std::get_if<PortLine>(&*parsed)) {
      if (nodes_.empty()) return Status::invalid_argument("a port before the first node");
      cables_.push_back({current_, line_, *port});
    }
    return {};
  }

  Status read_node(const NodeLine& what) {
    const auto [entry, is_new] = node_of_id_.emplace(what.id, static_cast<uint32_t>(nodes_.size()));
    current_ = entry->second;
    const std::optional<uint64_t> guid = next_guid_ ? next_guid_->guid : guid_in_id(what.id);
    const uint64_t own_guid = next_guid_ ? next_guid_->own_port_guid.value_or(0) : 0;
    next_guid_.reset();
    if (is_new) {
      nodes_.push_back({what, line_, guid ? *guid : guid_by_count(what), own_guid, k_none, {}, {}});
      return {};
    }
    const Node& before = nodes_[current_];  // ibnetdiscover -g may list a node more than once
    if (what.is_switch == before.what.is_switch && what.port_count == before.what.port_count &&
        guid.value_or(before.guid) == before.guid)
      return {};
    return Status::invalid_argument(fmt::format("node {} is there already, in line {}, and not the same",
                                                base::in_quotes(what.id), before.line));
  }

  /// A file may list only the switches: their lines describe a host's port sufficiently.
  void describe_host(const Cable& cable) {
    const std::string_view id = cable.end.peer_id;
    if (!is_end_port_id(id) || !node_of_id_.emplace(id, static_cast<uint32_t>(nodes_.size())).second) return;
    const NodeLine what{
        .is_switch = false, .port_count = k_most_ports, .id = id, .name = cable.end.peer_name};
    nodes_.push_back({what, cable.line, *guid_in_id(id), 0, k_none, {}, {}});
  }

  uint64_t guid_by_count(const NodeLine& what) {
    if (what.is_switch) return k_ibsim_switch_guid + nameless_switches_++;
    const uint64_t guid = k_ibsim_host_guid + nameless_host_ports_;
    nameless_host_ports_ += what.port_count + 1;
    return guid;
  }

  Status add_node(uint32_t number) {
    Node& node = nodes_[number];
    if (!node.what.is_switch) return {};
    const auto id =
        builder_.add_switch(node.guid, node.what.port_count, std::string(node.what.name), node.own_guid);
    if (id) node.id = *id;
    return id.status();
  }

  /// The index of the node at the far end.
  Result<uint32_t> far_node(const Cable& cable) const {
    const auto found = node_of_id_.find(cable.end.peer_id);
    if (found == node_of_id_.end())
      return Status::invalid_argument(
          fmt::format("node {} is cabled but not described", base::in_quotes(cable.end.peer_id)));
    return found->second;
  }

  /// Hosts are numbered in the order of nodes and ports, so all cabled ports must be known first.
  Status note_host_port(const Cable& cable) {
    const auto far = far_node(cable);
    if (!far) return far.status();
    if (Status status = note_port(nodes_[cable.node], cable.end.port, cable.end.port_guid); !status)
      return status;
    return note_port(nodes_[*far], cable.end.peer_port, cable.end.peer_guid);
  }

  static Status note_port(Node& node, unsigned port, std::optional<uint64_t> guid) {
    if (port == 0 || port > node.what.port_count)
      return Status::invalid_argument(fmt::format("node {} has ports 1 to {}, not {}",
                                                  base::in_quotes(node.what.id), node.what.port_count, port));
    if (node.what.is_switch) return {};
    if (guid)
      node.ports[port] = *guid;
    else
      node.ports.emplace(port, node.guid + port);
    return {};
  }

  Status add_hosts() {
    std::unordered_map<uint64_t, size_t> line_of_guid;
    for (Node& node : nodes_) {
      if (node.ports.empty()) continue;
      if (const auto [entry, is_new] = line_of_guid.emplace(node.guid, node.line); !is_new)
        return at_line(node.line,
                       Status::invalid_argument(fmt::format("GUID {:016x} is that of the node of line {}",
                                                            node.guid, entry->second)));
      for (const auto& [port, guid] : node.ports) {
        const auto id = builder_.add_host(guid, node.guid, port, std::string(node.what.name));
        if (!id) return at_line(node.line, id.status());
        node.host_ids[port] = *id;
      }
    }
    return {};
  }

  /// Adds the cable unless it was added from its other end. If the far end is cabled to another port, the
  /// file is contradictory.
  Status add_cable(const Cable& cable) {
    const uint32_t far = *far_node(cable);
    const End here{cable.node, cable.end.port}, there{far, cable.end.peer_port};
    const auto [entry, is_new] = far_end_.emplace(here, there);
    if (!is_new && entry->second != there)
      return Status::invalid_argument(fmt::format("port {} of node {} leads to two places", cable.end.port,
                                                  base::in_quotes(nodes_[cable.node].what.id)));
    if (!is_new) return {};
    const auto [back, is_only] = far_end_.emplace(there, here);
    if (!is_only && back->second != here)
      return Status::invalid_argument(fmt::format("port {} of node {} leads to two places",
                                                  cable.end.peer_port, base::in_quotes(cable.end.peer_id)));
    return connect(nodes_[here.node], here.port, nodes_[there.node], there.port);
  }

  Status connect(Node& a, unsigned a_port, Node& b, unsigned b_port) {
    if (a.what.is_switch && b.what.is_switch) {
      if (a.id == b.id && a_port == b_port)
        return Status::invalid_argument(fmt::format("port {} is cabled to itself", a_port));
      return builder_.connect(a.id, a_port, b.id, b_port);
    }
    if (a.what.is_switch) return builder_.attach(b.host_ids[b_port], a.id, a_port);
    if (b.what.is_switch) return builder_.attach(a.host_ids[a_port], b.id, b_port);
    return {};  // two hosts back to back: without a switch there is no multicast
  }

  struct End {
    uint32_t node;
    unsigned port;
    auto operator<=>(const End&) const = default;
  };

  std::string_view origin_;
  size_t line_ = 1;
  std::optional<GuidLine> next_guid_;
  uint64_t nameless_switches_ = 0, nameless_host_ports_ = 0;
  std::vector<Node> nodes_;
  uint32_t current_ = 0;  // of nodes_: the owner of the port lines that follow
  std::unordered_map<std::string_view, uint32_t> node_of_id_;
  std::vector<Cable> cables_;
  std::map<End, End> far_end_;
  FabricBuilder builder_;
};

}  // namespace

Result<Fabric> parse_topology(std::string_view text, std::string_view origin) {
  TopologyReader reader(origin);
  if (Status status = reader.read(text); !status) return status;
  return reader.build();
}

}  // namespace tutti::fabric
