#pragma once
// One tree for all members of an MLID that the plan does not know: groups that OpenSM creates itself, such as
// the IPoIB broadcast group, keep their own MLID.

#include <vector>

#include "fabric/graph.hpp"
#include "fabric/tables.hpp"

namespace tutti::opensm {

/// Breadth-first from the middle of a longest path between members, over the lowest ports. Members that the
/// first one cannot reach are left out. `colour` is only copied into the ports.
std::vector<fabric::TablePort> plain_tree(const fabric::Fabric& fabric,
                                          const std::vector<fabric::HostId>& members, fabric::Colour colour);

}  // namespace tutti::opensm
