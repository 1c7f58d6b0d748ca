#pragma once
// The independent verifier: computes what a routing does from the tables alone, and reports the first error.
//
// Its input is the fabric, the tables of the switches, the members of each group, and the colour (MLID) that
// was announced for each group. It knows nothing of trees or algorithms. Paper 004, definitions 3 to 7.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "fabric/groups.hpp"
#include "fabric/tables.hpp"

namespace tutti::fabric {

/// Metrics of a routing, computed from its tables.
struct RoutingMetrics {
  uint32_t groups = 0;
  uint32_t trees = 0;
  uint32_t colours = 0;        // in use
  uint32_t fullest_table = 0;  // most entries in one switch
  struct ColourUse {
    uint32_t trees = 0, groups = 0;
  };
  std::vector<ColourUse> by_colour;  // as long as the highest colour in use

  // EFI (definition 6): groups per cable, also those that only share a tree that crosses it.
  uint32_t max_efi = 0;  // between switches
  double mean_efi = 0;   // over cables between switches that carry any
  /// At the cable of a host: its memberships and the groups whose packets it filters.
  uint32_t max_host_efi = 0;
  std::vector<uint32_t> efi;  // [n]: cables between switches that carry n groups

  uint32_t max_tfi = 0;   // TFI (definition 7): groups per tree
  double mean_tfi = 0;    // groups / trees
  uint64_t filtered = 0;  // pairs of a group and a host that gets its packets, but drops them by MGID

  /// Of trees: hops between switches from the middle of the tree to its farthest switch.
  uint32_t max_height = 0;
  std::vector<uint32_t> heights;  // [n]: trees of height n
};

/// Checks for every group and every sender:
///   - every member gets the packet, once, over cables that exist; no packet runs in a circle;
///   - no entry leads a packet out of the tree: the two ends of a cable agree, no branch ends at nothing or
///     at a host that is in none of the groups of the tree, and no entry is left behind by a group that is
///     gone;
///   - MGIDs differ, so that a host that also gets packets of other groups can tell them apart;
///   - every colour is below `colour_limit`, and trees of one colour share no switch (they would be one tree
///     then, and are judged as one).
/// `colours`: for each group. Errors: invalid_argument, with the first thing found, by GUIDs and MLID. Hosts
/// of groups without members are no error. Cost: proportional to the tables, times a logarithm.
base::Result<RoutingMetrics> verify(const Fabric& fabric, const GroupSet& groups,
                                    std::span<const Colour> colours, const MulticastTables& tables,
                                    uint32_t colour_limit);

/// Sends one packet and lists the hosts that get a copy, one entry for each copy, in no particular order. It
/// is slow and simple; tests compare verify() with it. Errors: invalid_argument when the packet runs in a
/// circle.
base::Result<std::vector<HostId>> walk(const Fabric& fabric, const MulticastTables& tables, HostId sender,
                                       Colour colour);

}  // namespace tutti::fabric
