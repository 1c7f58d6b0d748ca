#pragma once
// OpenSM's picture of the subnet as a fabric::Fabric.
//
// A switch can itself be a member of a group, at its port 0, which a Fabric does not have. It gets a host at
// a port that it does not have either: the first one behind its last.

#include "base/status.hpp"
#include "fabric/graph.hpp"
#include "headers.hpp"

namespace tutti::opensm {

/// Switches by GUID that have a multicast table, end ports behind them by switch and port. The caller holds
/// OpenSM's lock. Errors: invalid_argument: no such switch, or GUIDs that are there twice.
base::Result<fabric::Fabric> read_subnet(const osm_subn_t& subnet);

/// Whether two of them have the same switches, end ports and cables, under the same numbers.
bool is_same(const fabric::Fabric& a, const fabric::Fabric& b);

/// What an entry of a multicast table says for a port of such a fabric, at a switch with `port_count` ports:
/// 0 for the host that stands for the switch.
inline uint8_t table_port(fabric::Port port, unsigned port_count) {
  return port > port_count ? 0 : port;
}

}  // namespace tutti::opensm
