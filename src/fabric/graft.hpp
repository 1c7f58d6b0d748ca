#pragma once
// Adds branches to a tree and changes nothing else in it: the second strategy of paper 004, section 3.3.2,
// for one tree. The cost is that of the branches, not of the whole fabric.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forest.hpp"

namespace tutti::fabric {

/// Keeps its memory between calls; one thread each.
class Graft {
 public:
  Graft(const Fabric& fabric, const Forest& forest);

  /// Adds a branch for each terminal that the tree does not cover: breadth-first from the terminal, over
  /// switches where the tree's colour is free, to the nearest part of the tree, over its least loaded link.
  /// False when a terminal cannot be reached in this way.
  bool build(TreeId tree, std::span<const SwitchId> terminals, TreeShape& shape);

 private:
  struct Step {
    SwitchId at;
    uint32_t from;  // index of the step before, or k_none
    LinkId link;    // from there
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
