#pragma once
// Total time that a rank spends in overlapping waits, each moment counted once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::record::analysis {

class CoveredTime {
 public:
  /// Returns how much of this interval was not covered before.
  uint64_t add(int64_t from_ns, int64_t to_ns) {
    if (from_ns >= to_ns) return 0;
    int64_t new_ns = to_ns - from_ns;
    Interval all{from_ns, to_ns};
    std::erase_if(intervals_, [&](const Interval& one) {
      const int64_t common_ns = std::min(one.to_ns, to_ns) - std::max(one.from_ns, from_ns);
      if (common_ns < 0) return false;
      new_ns -= common_ns;
      all = {std::min(all.from_ns, one.from_ns), std::max(all.to_ns, one.to_ns)};
      return true;
    });
    if (intervals_.size() == k_most)
      intervals_.erase(std::ranges::min_element(intervals_, {}, &Interval::to_ns));
    intervals_.push_back(all);
    return static_cast<uint64_t>(new_ns);
  }

 private:
  /// Calls arrive approximately in time order, so older intervals are dropped.
  static constexpr size_t k_most = 16;
  struct Interval {
    int64_t from_ns, to_ns;
  };
  std::vector<Interval> intervals_;
};

}  // namespace tutti::record::analysis
