#pragma once
// OpenSM's picture of the subnet as a fabric::Fabric.

#include "base/status.hpp"
#include "fabric/graph.hpp"
#include "headers.hpp"

namespace tutti::opensm {

/// Switches by GUID that have a multicast table, end ports behind them by switch and port. The caller holds
/// OpenSM's lock. Errors: invalid_argument: no such switch, or GUIDs that are there twice.
base::Result<fabric::Fabric> read_subnet(const osm_subn_t& subnet);

/// Whether two of them have the same switches, end ports and cables, under the same numbers.
bool is_same(const fabric::Fabric& a, const fabric::Fabric& b);

}  // namespace tutti::opensm
