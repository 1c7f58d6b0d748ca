#pragma once
// Groups whose colour has been announced to their members and therefore must not change, or only if nothing else
// is possible: under changes of membership, after a restart or a failure, and when the fabric changes.

#include <vector>

#include "base/status.hpp"
#include "fabric/dijkstra_tree.hpp"
#include "fabric/placement.hpp"
#include "fabric/routing.hpp"

namespace tutti::fabric {

class AnnouncedGroups {
 public:
  AnnouncedGroups(Routing& routing, UnitPlacement& placement) : routing_(routing), placement_(placement) {}

  /// Routes a group without a tree in an open colour. If all its members are cut off, the group only keeps the
  /// colour.
  void place(GroupId id, Colour colour);
  /// Adapts the routing to the group's members, in its own colour.
  void update(GroupId id);
  /// Takes a switch out of service and rebuilds its trees, in their own colours if possible. If the fabric is
  /// then disconnected, a tree serves the part of its first member; the other members are cut off. Returns the
  /// groups whose colour changed. Errors: as HopTable::compute().
  base::Result<std::vector<GroupId>> disconnect(SwitchId id);
  /// Takes over all groups of a routing of another version of the fabric, for a new routing. Trees whose cables
  /// all still exist stay the same; the others are rebuilt in their colour.
  void move_from(const Routing& old);

 private:
  bool plant(const Unit& unit, Colour colour, size_t most_roots);
  void grow(TreeId id);

  Routing& routing_;
  UnitPlacement& placement_;
  DijkstraTree dijkstra_{routing_.fabric(), routing_.forest()};
  // Kept between calls to avoid allocations.
  std::vector<SwitchId> roots_;
  TreeShape shape_;
};

}  // namespace tutti::fabric
