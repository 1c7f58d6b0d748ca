#pragma once
// Candidate roots (paper 004, section 3.1.1): the switches whose largest number of hops to the members is
// least.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/hop_table.hpp"

namespace tutti::fabric {

/// Finds the same switches as a look at every member from every switch, but looks at few: the members that
/// are farthest from the best switch so far bound all others from below. Keeps its memory between calls; one
/// thread each.
class RootSearch {
 public:
  explicit RootSearch(const HopTable& hops) : hops_(hops) {}

  /// `terminals`: the switches of the members, at least one. Fills `roots` in ascending order and returns the
  /// radius: the largest number of hops from each root to a terminal; k_unreachable (and no roots) when no
  /// switch reaches them all.
  Hops find(std::span<const SwitchId> terminals, std::vector<SwitchId>& roots);

 private:
  SwitchId farthest(SwitchId root, std::span<const SwitchId> terminals) const;
  void bound_by(SwitchId terminal);
  Hops least_bound() const;
  void collect(Hops radius, std::span<const SwitchId> terminals, std::vector<SwitchId>& roots);

  const HopTable& hops_;
  std::vector<Hops> bound_;
};

}  // namespace tutti::fabric
