#pragma once
// Candidate roots (paper 004, section 3.1.1): the switches with the smallest maximum number of hops to the
// members.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/hop_table.hpp"

namespace tutti::fabric {

/// Finds the same switches as an exhaustive search over all pairs of switch and member, but inspects few
/// pairs: the distances to a few distant members rule out most switches. Keeps its memory and its last result
/// between calls, because consecutive groups often have members at the same switches. Each thread needs its
/// own object.
class RootSearch {
 public:
  explicit RootSearch(const HopTable& hops) : hops_(hops) {}

  /// `terminals`: the switches of the members, at least one. Fills `roots` in ascending order and returns the
  /// radius: the largest number of hops from each root to a terminal; k_unreachable (and no roots) when no
  /// switch reaches them all.
  Hops find(std::span<const SwitchId> terminals, std::vector<SwitchId>& roots);
  /// Must be called after the table has changed.
  void forget() { last_terminals_.clear(); }

 private:
  /// Switches of neighbouring numbers that may still be roots.
  struct Block {
    uint32_t first;
    Hops least;  // smallest of their bounds
  };
  void search(std::span<const SwitchId> terminals);
  void bound(std::span<const SwitchId> terminals);
  bool sharpen();
  void bound_by(std::span<const SwitchId> members);
  void take_candidates();
  void bound_candidates_by(SwitchId terminal);
  auto least_block() const { return std::ranges::min_element(blocks_, {}, &Block::least); }
  uint32_t end_of(const Block& block) const;

  const HopTable& hops_;
  std::vector<SwitchId> first_;       // members that are inspected before all others
  std::vector<SwitchId> rest_;        // members that have not been inspected yet
  std::vector<Hops> bound_;           // by switch: the largest number of hops to the members inspected so far
  std::vector<Block> blocks_;         // ascending
  std::vector<SwitchId> candidates_;  // in these blocks, ascending
  Hops most_ = 0;                     // the radius is at most this
  std::vector<SwitchId> last_terminals_, last_roots_;
  Hops last_radius_ = k_unreachable;
};

}  // namespace tutti::fabric
