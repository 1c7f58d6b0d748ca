#pragma once
// Merging when no colour is left (paper 004, section 3.3.1, algorithm 4): optimistically with one tree, or
// pessimistically with all trees that block the new one.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/bottom_up.hpp"
#include "fabric/dijkstra_tree.hpp"
#include "fabric/graft.hpp"
#include "fabric/routing.hpp"

namespace tutti::fabric {

class Merging {
 public:
  explicit Merging(Routing& routing) : routing_(routing) {}

  /// Algorithm 4. The unit stays without a tree only if no tree is in its part of a disconnected fabric.
  void merge(const Unit& unit);
  /// As in the paper, but with several likely partners: takes the one whose union has the least load on the
  /// heaviest link, and then the fewest links. Merges all blocking trees only if no partner can be joined
  /// alone.
  void merge_guided(const Unit& unit);
  /// One tree for the unit, if it has groups, for `merged`, trees of this colour, and for all other trees of
  /// the colour in the way. False, without a change, if no such tree exists.
  bool merge_in(const Unit& unit, Colour colour, std::vector<TreeId> merged);

 private:
  void add_blocking_trees(const Unit& unit, Colour colour, std::vector<TreeId>& merged, Unit& whole);
  bool build(const Unit& whole, Colour colour, std::span<const TreeId> merged);
  bool join_partner(const Unit& unit, TreeId partner, TreeShape& joined);
  uint32_t load_after(const Unit& unit, TreeId partner, const TreeShape& joined);
  void commit(const Unit& unit, Colour colour, std::span<const TreeId> merged);
  Unit with_trees(const Unit& unit, std::span<const TreeId> merged) const;

  Routing& routing_;
  const Forest& forest_ = routing_.forest();
  BottomUp bottom_up_{routing_.fabric(), forest_};
  DijkstraTree dijkstra_{routing_.fabric(), forest_};
  Graft graft_{routing_.fabric(), forest_};
  // Kept between calls to avoid allocations.
  std::vector<SwitchId> roots_;
  std::vector<uint8_t> old_links_;  // per link: 1 if the tree that is to be merged has it; 0 between calls
  TreeShape shape_, best_shape_;
};

}  // namespace tutti::fabric
