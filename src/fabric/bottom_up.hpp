#pragma once
// Trees from the members up to a root, along rows of the minimum-hop table (paper 004, section 3.1.2).

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forest.hpp"
#include "fabric/hop_table.hpp"

namespace tutti::fabric {

/// Reuses its memory between calls. Each thread needs its own object.
class BottomUp {
 public:
  BottomUp(const Fabric& fabric, const Forest& forest);

  /// Algorithm 2. Each member in turn walks towards the root, over the least loaded of the links that lead
  /// one hop nearer, until it reaches the tree built so far. `row`: hops to the root.
  void build(SwitchId root, const Hops* row, std::span<const SwitchId> terminals, TreeShape& shape);

  /// Algorithm 2, level by level from the farthest members, with two more aims. Switches that are in the tree
  /// already, or that several branches of this level can share, are preferred, because each switch costs a
  /// table entry. At least one colour of `colours` stays free at all switches of the tree. On entry `colours`
  /// holds the colours that may be used and are free at the terminals, on return those that still can. Links
  /// that carry more than `most_load` groups are not used. `budget` is reduced by the arcs that were inspected.
  /// False when no colour or no link is left, or when the budget is used up. `salt` breaks ties.
  bool build_guided(SwitchId root, const Hops* row, std::span<const SwitchId> terminals,
                    std::vector<ColourWord>& colours, uint64_t salt, int64_t& budget, TreeShape& shape,
                    uint32_t most_load = UINT32_MAX);

 private:
  struct Step;
  void start(SwitchId root, std::span<const SwitchId> terminals, TreeShape& shape);
  void find_ways(const std::vector<SwitchId>& level, const Hops* row, Hops hops);
  std::span<const Arc* const> ways_of(size_t place) const {
    return {ways_.data() + first_way_[place], first_way_[place + 1] - first_way_[place]};
  }
  Step best_step(std::span<const Arc* const> ways, std::span<const ColourWord> colours, uint64_t salt) const;
  bool is_in_tree(SwitchId id) const { return mark_[id] == stamp_; }

  const Fabric& fabric_;
  const Forest& forest_;
  uint32_t stamp_ = 0, most_load_ = UINT32_MAX;
  std::vector<uint32_t> mark_;     // == stamp_: in the tree
  std::vector<uint32_t> sharers_;  // of this level, valid if sharer_mark_ == share_stamp_
  std::vector<uint32_t> sharer_mark_;
  uint32_t share_stamp_ = 0;
  std::vector<std::vector<SwitchId>> levels_;  // by hops to the root
  // For all switches of a level in turn: the arcs that lead one hop nearer, and the index of each switch's
  // first arc.
  std::vector<const Arc*> ways_;
  std::vector<size_t> first_way_;
};

}  // namespace tutti::fabric
