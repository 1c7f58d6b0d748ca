#pragma once
// The minimum-hop table (paper 004, definition 8): hops between all pairs of switches, one row of bytes per
// switch.
//
// 3,904 switches take 15 MB, 12,000 take 144 MB. Rows of bytes make the search for roots fast: the largest
// number of hops to a group's members is the maximum of a few rows, for sixteen or more switches per
// instruction.

#include <cstdint>

#include "base/huge_pages.hpp"
#include "base/status.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

using Hops = uint8_t;
inline constexpr Hops k_unreachable = 255;

class HopTable {
 public:
  /// Breadth-first search from every switch, many of them at once, on `threads` threads. The result does not
  /// depend on their number. Errors: invalid_argument when two connected switches are more than 254 hops
  /// apart.
  static base::Result<HopTable> compute(const Fabric& fabric, unsigned threads);

  /// Hops from every switch to `to` (and back: cables work in both directions).
  const Hops* row(SwitchId to) const { return hops_.get() + size_t{to} * count_; }
  Hops hops(SwitchId from, SwitchId to) const { return row(to)[from]; }
  /// The largest number of hops between two switches; k_unreachable if some pair is not connected.
  Hops diameter() const { return diameter_; }
  uint32_t switch_count() const { return count_; }
  size_t memory_bytes() const { return size_t{count_} * count_; }

 private:
  explicit HopTable(uint32_t count) : count_(count), hops_(base::huge_array<Hops>(size_t{count} * count)) {}

  uint32_t count_ = 0;
  Hops diameter_ = 0;
  base::HugeArray<Hops> hops_;
};

}  // namespace tutti::fabric
