#include "subnet.hpp"

#include <algorithm>
#include <vector>

namespace tutti::opensm {

using base::Result;
using base::Status;
using fabric::Fabric;
using fabric::FabricBuilder;
using fabric::SwitchId;

namespace {

struct Known {
  osm_switch_t* object;
  SwitchId id;
};

uint64_t guid_of(const osm_node_t* node) {
  return cl_ntoh64(osm_node_get_node_guid(node));
}

unsigned port_count_of(const osm_switch_t* object) {
  return object->num_ports - 1u;  // num_ports counts port 0
}

/// Reads all switches first, so that both ends of every cable are known.
class Reader {
 public:
  explicit Reader(const osm_subn_t& subnet) : subnet_(subnet) {}

  Result<Fabric> read() {
    if (Status status = add_switches(); !status) return status;
    for (const Known& known : switches_) {
      for (unsigned port = 1; port <= port_count_of(known.object); ++port)
        if (Status status = add_cable(known, port); !status) return status;
    }
    return builder_.finish();
  }

 private:
  Status add_switches() {
    const cl_qmap_t* table = &subnet_.sw_guid_tbl;
    for (cl_map_item_t* item = cl_qmap_head(table); item != cl_qmap_end(table); item = cl_qmap_next(item)) {
      auto* object = reinterpret_cast<osm_switch_t*>(item);
      if (!osm_switch_supports_mcast(object)) continue;
      const osm_physp_t* own = osm_node_get_physp_ptr(object->p_node, 0);
      const auto id = builder_.add_switch(
          guid_of(object->p_node), std::min(port_count_of(object), fabric::k_most_ports),
          object->p_node->print_desc, own == nullptr ? 0 : cl_ntoh64(osm_physp_get_port_guid(own)));
      if (!id) return id.status();
      switches_.push_back({object, *id});
    }
    std::sort(switches_.begin(), switches_.end(), [](auto& a, auto& b) { return a.object < b.object; });
    by_address_ = switches_;
    std::sort(switches_.begin(), switches_.end(), [](auto& a, auto& b) { return a.id < b.id; });
    return {};
  }

  const Known* find(const osm_switch_t* object) const {
    const auto found =
        std::lower_bound(by_address_.begin(), by_address_.end(), object,
                         [](const Known& known, auto* wanted) { return known.object < wanted; });
    return found != by_address_.end() && found->object == object ? &*found : nullptr;
  }

  Status add_cable(const Known& known, unsigned port) {
    osm_physp_t* here = osm_node_get_physp_ptr(known.object->p_node, port);
    osm_physp_t* there = here == nullptr ? nullptr : osm_physp_get_remote(here);
    if (there == nullptr || osm_link_is_healthy(here) == FALSE) return {};
    osm_node_t* node = osm_physp_get_node_ptr(there);
    const unsigned far_port = osm_physp_get_port_num(there);
    if (node->sw == nullptr) {
      const auto host = builder_.add_host(cl_ntoh64(osm_physp_get_port_guid(there)), guid_of(node), far_port,
                                          node->print_desc);
      if (!host) return host.status();
      return builder_.attach(*host, known.id, port);
    }
    const Known* other = find(node->sw);
    // Adds each cable once, from its lower end; a cable from a switch to itself carries nothing.
    if (other == nullptr || other->id <= known.id || far_port == 0) return {};
    return builder_.connect(known.id, port, other->id, far_port);
  }

  const osm_subn_t& subnet_;
  FabricBuilder builder_;
  std::vector<Known> switches_, by_address_;
};

bool is_same_switch(const Fabric& a, const Fabric& b, SwitchId id) {
  const auto same_arc = [](const fabric::Arc& x, const fabric::Arc& y) {
    return x.to == y.to && x.port == y.port && x.to_port == y.to_port;
  };
  return a.switch_node(id).guid == b.switch_node(id).guid &&
         a.switch_node(id).port_count == b.switch_node(id).port_count &&
         a.host(a.own_port(id)).guid == b.host(b.own_port(id)).guid &&
         std::ranges::equal(a.arcs(id), b.arcs(id), same_arc);
}

bool is_same_host(const Fabric& a, const Fabric& b, fabric::HostId id) {
  return a.host(id).guid == b.host(id).guid && a.host(id).at == b.host(id).at &&
         a.host(id).at_port == b.host(id).at_port;
}

}  // namespace

Result<Fabric> read_subnet(const osm_subn_t& subnet) {
  return Reader(subnet).read();
}

bool is_same(const Fabric& a, const Fabric& b) {
  if (a.switch_count() != b.switch_count() || a.host_count() != b.host_count()) return false;
  for (SwitchId id = 0; id < a.switch_count(); ++id)
    if (!is_same_switch(a, b, id)) return false;
  for (fabric::HostId id = 0; id < a.host_count(); ++id)
    if (!is_same_host(a, b, id)) return false;
  return true;
}

}  // namespace tutti::opensm
