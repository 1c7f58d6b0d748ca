#pragma once
// The independent verifier: derives the behaviour of a routing from the tables alone, and reports the first
// error.
//
// Its input is the fabric, the tables of the switches, the members of each group, and the colour (MLID) that
// was announced for each group. It does not depend on the router's trees or algorithms. Paper 004,
// definitions 3 to 7.

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
  std::vector<ColourUse> by_colour;  // by colour, up to the highest one in use

  // EFI (definition 6): groups per cable, also those that only share a tree that crosses it.
  uint32_t max_efi = 0;  // between switches
  double mean_efi = 0;   // over cables between switches that carry any
  /// Maximum over hosts: groups whose packets cross the host's cable, both its own groups and those that it
  /// filters.
  uint32_t max_host_efi = 0;
  std::vector<uint32_t> efi;  // [n]: number of cables between switches that carry n groups

  uint32_t max_tfi = 0;   // TFI (definition 7): groups per tree
  double mean_tfi = 0;    // groups / trees
  uint64_t filtered = 0;  // pairs of a group and a host that gets its packets, but drops them by MGID

  /// Maximum over trees: hops between switches from the centre of the tree to its farthest switch.
  uint32_t max_height = 0;
  std::vector<uint32_t> heights;  // [n]: number of trees of height n
};

/// Checks for every group and every sender:
///   - every member gets the packet, once, over cables that exist; no packet loops;
///   - no entry leads a packet out of the tree: the two ends of a cable agree, no branch ends at an
///     unconnected port or at a host that is in none of the groups of the tree, and no entry of a removed
///     group is left;
///   - MGIDs differ, so that a host that also gets packets of other groups can distinguish them;
///   - every colour is below `colour_limit`, and trees of one colour share no switch (they would form one
///     tree, and are checked as one).
/// `colours`: one per group. Errors: invalid_argument, with the first error found, by GUIDs and MLID. A group
/// without members is not an error. Cost: proportional to the tables, times a logarithm.
base::Result<RoutingMetrics> verify(const Fabric& fabric, const GroupSet& groups,
                                    std::span<const Colour> colours, const MulticastTables& tables,
                                    uint32_t colour_limit);

/// Sends one packet and lists the hosts that get a copy, one entry for each copy, in no particular order. It
/// is slow and simple; tests compare verify() with it. Errors: invalid_argument when the packet loops.
base::Result<std::vector<HostId>> walk(const Fabric& fabric, const MulticastTables& tables, HostId sender,
                                       Colour colour);

}  // namespace tutti::fabric
