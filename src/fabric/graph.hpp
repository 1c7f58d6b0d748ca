#pragma once
// A subnet as multicast routing models it (paper 004, definition 1): switches, the end ports of hosts, and
// cables.
//
// Everything is numbered from 0 in the order of a file or a generator, and stored in flat arrays: a fabric of
// 40,960 hosts takes a few megabytes. Only disconnect() and disconnect_link() change a Fabric; all numbers
// stay valid. Threads may read one Fabric at the same time.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.hpp"

namespace tutti::fabric {

using SwitchId = uint32_t;
using HostId = uint32_t;  // an end port: a host has one per cabled port, a switch has one
using LinkId = uint32_t;  // a cable between two switches
using Port = uint8_t;     // numbered as in InfiniBand: 1 to 254; port 0 is the switch itself

inline constexpr uint32_t k_none = UINT32_MAX;
inline constexpr unsigned k_most_ports = 254;

/// A cable between two switches, seen from one of them. Each of several parallel cables has its own arc.
struct Arc {
  SwitchId to;
  LinkId link;
  Port port;     // at this switch
  Port to_port;  // at the other
};

/// A cable between two switches. `a` is the switch that was named first.
struct Link {
  SwitchId a, b;
  Port a_port, b_port;
};

struct SwitchNode {
  uint64_t guid = 0;
  Port port_count = 0;
  std::string name;
};

/// An end port: of a host, or port 0 of a switch.
struct HostNode {
  uint64_t guid = 0;       // of the port
  uint64_t node_guid = 0;  // of the adapter or switch
  Port node_port = 1;      // at the adapter; 0 for the switch itself
  Port at_port = 0;        // at the switch; 0 for the switch itself
  SwitchId at = k_none;    // the switch that it is cabled to, or k_none
  std::string name;

  /// True for an aggregation node (SHARP) of a switch: it appears as an adapter, but no program runs on it.
  bool is_aggregation_node() const { return name.ends_with("Aggregation Node"); }
};

/// The far end of a switch port: `index` is a LinkId or a HostId.
struct Peer {
  enum class Kind : uint8_t { nothing, link, host };
  Kind kind = Kind::nothing;
  uint32_t index = k_none;
};

class Fabric {
 public:
  uint32_t switch_count() const { return static_cast<uint32_t>(switches_.size()); }
  uint32_t host_count() const { return static_cast<uint32_t>(hosts_.size()) - switch_count(); }
  uint32_t link_count() const { return static_cast<uint32_t>(links_.size()); }

  const SwitchNode& switch_node(SwitchId id) const { return switches_[id]; }
  /// Hosts are 0 to host_count() - 1. The switches' own ports follow, up to end_port_count() - 1.
  const HostNode& host(HostId id) const { return hosts_[id]; }
  HostId own_port(SwitchId id) const { return host_count() + id; }
  /// The hosts on which programs run.
  std::vector<HostId> computing_hosts() const;
  uint32_t end_port_count() const { return static_cast<uint32_t>(hosts_.size()); }
  /// A link that disconnect() cut keeps its number, but no arc uses it.
  const Link& link(LinkId id) const { return links_[id]; }

  /// Cables to other switches in the order of their ports, without cables from a switch to itself.
  std::span<const Arc> arcs(SwitchId id) const {
    return {arcs_.data() + first_arc_[id], first_arc_[id + 1] - first_arc_[id]};
  }
  /// The far ends of arcs(id), in the same order, in less memory.
  std::span<const SwitchId> ends(SwitchId id) const {
    return {ends_.data() + first_arc_[id], first_arc_[id + 1] - first_arc_[id]};
  }
  /// Port 0 leads to the switch itself, as an end port. A port above port_count has the kind `nothing`.
  Peer peer(SwitchId id, unsigned port) const;

  /// Return k_none if the GUID is unknown. find_host() also finds the switches' own ports.
  SwitchId find_switch(uint64_t guid) const;
  HostId find_host(uint64_t port_guid) const;

  /// Removes all cables of a switch, as if it were switched off. Its hosts and its own port then have no
  /// cable.
  void disconnect(SwitchId id);
  /// Removes one cable.
  void disconnect_link(LinkId id);

 private:
  friend class FabricBuilder;
  void index_cables();

  std::vector<SwitchNode> switches_;
  std::vector<HostNode> hosts_;
  std::vector<Link> links_;
  std::vector<uint8_t> is_cut_;      // per link
  std::vector<uint32_t> first_arc_;  // per switch, and the end
  std::vector<Arc> arcs_;
  std::vector<SwitchId> ends_;        // per arc
  std::vector<uint32_t> first_port_;  // per switch, and the end
  std::vector<Peer> peers_;           // per switch and port
  std::unordered_map<uint64_t, SwitchId> switch_of_guid_;
  std::unordered_map<uint64_t, HostId> host_of_guid_;
};

/// OpenSM's sort key: OpenSM keeps GUIDs in network byte order and compares them as native integers, here
/// little-endian.
inline uint64_t opensm_key(const Fabric& fabric, SwitchId id) {
  return __builtin_bswap64(fabric.switch_node(id).guid);
}

/// All switches in the order in which OpenSM visits and dumps them.
std::vector<SwitchId> opensm_order(const Fabric& fabric);

/// Builds a Fabric node by node and cable by cable. Every error is invalid_argument and names nodes and
/// ports.
class FabricBuilder {
 public:
  /// `own_guid` is that of port 0; 0: it equals the switch's. Errors: a GUID that is 0 or already used,
  /// port_count 0 or above 254.
  base::Result<SwitchId> add_switch(uint64_t guid, unsigned port_count, std::string name,
                                    uint64_t own_guid = 0);
  /// `guid` is that of the port. Errors: a GUID that is 0 or already used.
  base::Result<HostId> add_host(uint64_t guid, uint64_t node_guid, unsigned node_port, std::string name);
  /// Errors: a port that does not exist or already has a cable.
  base::Status connect(SwitchId a, unsigned a_port, SwitchId b, unsigned b_port);
  base::Status attach(HostId host, SwitchId at, unsigned port);

  uint32_t switch_count() const { return fabric_.switch_count(); }
  uint32_t host_count() const { return static_cast<uint32_t>(fabric_.hosts_.size()); }

  /// Whether this port has a cable; false for ports that do not exist.
  bool is_cabled(SwitchId id, unsigned port) const;

  /// Returns the fabric and leaves the builder empty. Errors: no switch.
  base::Result<Fabric> finish();

 private:
  base::Status take_port(SwitchId id, unsigned port, Peer peer);
  void add_own_ports();

  Fabric fabric_;
  std::vector<std::vector<Peer>> ports_;  // per switch, from port 0
  std::vector<uint64_t> own_guids_;       // per switch
};

}  // namespace tutti::fabric
