#pragma once
// What others do with multicast groups: one forwarding-table index (MLID) for each, whatever the tables hold.

#include <vector>

#include "base/status.hpp"
#include "fabric/groups.hpp"
#include "fabric/hop_table.hpp"
#include "fabric/tables.hpp"

namespace tutti::fabric {

enum class Baseline : uint8_t {
  /// OpenSM with minhop, updn, ftree and others (osm_mcast_mgr.c: mcast_mgr_branch, mcast_mgr_subdivide):
  /// from the root down, each member over the lowest port of least hops. Load does not count. Where members
  /// of one group are reached over different ports, branches can meet again in fabrics that are neither trees
  /// nor grids.
  minihop_mc,
  /// SSSP-MC as paper 004 describes it: Dijkstra's tree from the root, weighted by the groups that cross a
  /// link. Fewest hops come first, as the initial weights of OpenSM's DFSSSP make it.
  sssp_mc,
  /// OpenSM with sssp and dfsssp (dfsssp_do_mcast_routing): one run of Dijkstra's algorithm for each group,
  /// over weights that unicast routing has left and multicast does not change (opensm_sssp.hpp).
  sssp_opensm,
};

/// Group n has colour n, starting from MLID 0xC000.
/// Root of every baseline, as in OpenSM: of the switches with the least maximum hops to the members, the
/// first by GUID. Errors: invalid_argument: a group without members, with a member without a cable, or in two
/// parts of the fabric.
base::Result<MulticastTables> route_baseline(Baseline baseline, const Fabric& fabric, const HopTable& hops,
                                             const GroupSet& groups);

/// Groups over every link, from the tables alone, for routings in which each colour is one group. Unlike
/// verify() it asks for nothing: packets may run in circles.
std::vector<uint32_t> count_efi(const Fabric& fabric, const MulticastTables& tables);

}  // namespace tutti::fabric
