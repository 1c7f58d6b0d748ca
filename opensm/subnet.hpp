#pragma once
// Converts OpenSM's subnet object to a fabric::Fabric.

#include "base/status.hpp"
#include "fabric/graph.hpp"
#include "headers.hpp"

namespace tutti::opensm {

/// Contains the switches with a multicast table, by GUID, and their end ports, by switch and port. The caller
/// holds OpenSM's lock. Errors: invalid_argument: no such switch, or duplicate GUIDs.
base::Result<fabric::Fabric> read_subnet(const osm_subn_t& subnet);

/// True if both have the same switches, end ports and cables, under the same numbers.
bool is_same(const fabric::Fabric& a, const fabric::Fabric& b);

}  // namespace tutti::opensm
