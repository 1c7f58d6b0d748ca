#pragma once
// Lower bounds by cuts for colours, EFI (groups per link) and TFI (groups per tree). No routing can be
// better, so the bounds show how far a routing is from optimal.
//
// For a set X of switches let "crossing" be the groups with members at X and elsewhere. Then
//   - some cable of the cut around X carries at least crossing / cables groups, merged or not (EFI);
//   - each of their trees contains one of the switches outside of X that have a cable into X. Without merging
//     one of these has crossing / neighbours entries (colours). With N colours some tree carries crossing /
//     (N · neighbours) groups (TFI);
//   - where no cable stays within X, the same holds for groups with members at two switches of X.
// A switch needs one entry for every group with members at it: bounds of the same kind with X alone.
//
// The sets X are: each switch; sets of switches with the same neighbours (the leaves of a pod or a block),
// alone and with these neighbours; balls around some switches. The best of these bounds need not be the
// optimum.

#include <cstdint>
#include <string>

#include "fabric/groups.hpp"
#include "fabric/hop_table.hpp"

namespace tutti::fabric {

struct LowerBound {
  uint32_t value = 0;
  std::string reason;  // description of the cut
};

struct LowerBounds {
  LowerBound colours;  // without merging
  LowerBound efi;      // between switches, with or without merging
  LowerBound tfi;      // at least 1; with colour_limit colours
};

/// `colour_limit` 0: no limit. Members without a cable are left out. Cost: groups × members × sets, about a
/// second for 10,496 groups on TaihuLight.
LowerBounds lower_bounds(const Fabric& fabric, const HopTable& hops, const GroupSet& groups,
                         uint32_t colour_limit);

}  // namespace tutti::fabric
