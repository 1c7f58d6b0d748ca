#pragma once
// The order in which OpenSM visits and dumps its switches.

#include <cstdint>
#include <vector>

#include "fabric/graph.hpp"

namespace tutti::fabric {

/// OpenSM's sort key: OpenSM keeps GUIDs in network byte order and compares them as native integers, here
/// little-endian.
inline uint64_t opensm_key(const Fabric& fabric, SwitchId id) {
  return __builtin_bswap64(fabric.switch_node(id).guid);
}

/// All switches in that order.
std::vector<SwitchId> opensm_order(const Fabric& fabric);

}  // namespace tutti::fabric
