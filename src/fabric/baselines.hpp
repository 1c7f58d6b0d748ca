#pragma once
// Baseline multicast routings: each group gets its own forwarding-table index (MLID), whatever the size of
// the tables.

#include <vector>

#include "base/status.hpp"
#include "fabric/groups.hpp"
#include "fabric/hop_table.hpp"
#include "fabric/tables.hpp"

namespace tutti::fabric {

enum class Baseline : uint8_t {
  /// OpenSM with minhop, updn, ftree and others (osm_mcast_mgr.c: mcast_mgr_branch, mcast_mgr_subdivide):
  /// from the root down, each member over the lowest port with the fewest hops. Load is ignored. If members
  /// of one group are reached over different ports, branches can meet again in fabrics that are neither trees
  /// nor grids.
  minihop_mc,
  /// SSSP-MC as described in paper 004: Dijkstra's tree from the root, weighted by the groups that cross a
  /// link. The number of hops takes precedence, as with the initial weights of OpenSM's DFSSSP.
  sssp_mc,
  /// OpenSM with sssp and dfsssp (dfsssp_do_mcast_routing): one run of Dijkstra's algorithm per group, over
  /// the link weights that result from unicast routing; multicast does not change them (opensm_sssp.hpp).
  sssp_opensm,
};

/// Group n has colour n, starting from MLID 0xC000. Every baseline chooses the root like OpenSM: among the
/// switches with the smallest maximum number of hops to the members, the first by GUID. Errors:
/// invalid_argument: a group that has no members, has a member without a cable, or spans two disconnected
/// parts of the fabric.
base::Result<MulticastTables> route_baseline(Baseline baseline, const Fabric& fabric, const HopTable& hops,
                                             const GroupSet& groups);

/// Number of groups on each link, computed from the tables alone, for routings in which each colour is one
/// group. Unlike verify() it checks nothing: packets may loop.
std::vector<uint32_t> count_efi(const Fabric& fabric, const MulticastTables& tables);

}  // namespace tutti::fabric
