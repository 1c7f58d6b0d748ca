#pragma once
// Adds branches to a tree and changes nothing else in it: the second strategy of paper 004, section 3.3.2,
// for one tree. The cost depends on the branches, not on the whole fabric.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forest.hpp"

namespace tutti::fabric {

/// Reuses its memory between calls. Each thread needs its own object.
class Graft {
 public:
  Graft(const Fabric& fabric, const Forest& forest);

  /// Adds a branch for each terminal that the tree does not cover: breadth-first from the terminal, over
  /// switches where the tree's colour is free, to the nearest part of the tree, over its least loaded link.
  /// False when a terminal cannot reach the tree over such switches.
  bool build(TreeId tree, std::span<const SwitchId> terminals, TreeShape& shape);

 private:
  struct Step {
    SwitchId at;
    uint32_t from;  // index of the previous step, or k_none
    LinkId link;    // link from the previous step
  };

  bool reach_from(SwitchId terminal, Colour colour, TreeShape& shape);
  const Arc* best_arc_to_tree(SwitchId at) const;

  const Fabric& fabric_;
  const Forest& forest_;
  uint32_t stamp_ = 0, search_stamp_ = 0;
  std::vector<uint32_t> in_tree_;  // == stamp_
  std::vector<uint32_t> seen_;     // == search_stamp_
  std::vector<Step> steps_;
};

}  // namespace tutti::fabric
