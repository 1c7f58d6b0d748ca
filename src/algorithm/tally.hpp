#pragma once
// Counts rounds and bytes of a message pattern, for patterns without a simple closed formula.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// Assumes that each member sends only after all receives so far. Empty messages are dropped, as in ScheduleBuilder.
class Tally {
 public:
  explicit Tally(Rank count) : depth_(static_cast<size_t>(count)), sent_(static_cast<size_t>(count)) {}

  void message(Rank from, Rank to, uint64_t bytes) { exchange(from, to, bytes, 0); }

  /// Two concurrent messages, one in each direction.
  void exchange(Rank a, Rank b, uint64_t a_to_b_bytes, uint64_t b_to_a_bytes) {
    const uint64_t a_depth = depth(a), b_depth = depth(b);
    deliver(a, b, a_to_b_bytes, a_depth);
    deliver(b, a, b_to_a_bytes, b_depth);
  }

  Cost cost() const { return cost_; }

 private:
  uint64_t depth(Rank r) const { return depth_[static_cast<size_t>(r)]; }

  void deliver(Rank from, Rank to, uint64_t bytes, uint64_t sender_depth) {
    if (bytes == 0) return;
    uint64_t& reached = depth_[static_cast<size_t>(to)];
    reached = std::max(reached, sender_depth + 1);
    cost_.rounds = std::max(cost_.rounds, reached);
    sent_[static_cast<size_t>(from)] += bytes;
    cost_.busiest_bytes = std::max(cost_.busiest_bytes, sent_[static_cast<size_t>(from)]);
  }

  std::vector<uint64_t> depth_;  // messages on the longest chain that ends in this member
  std::vector<uint64_t> sent_;   // bytes
  Cost cost_;
};

}  // namespace tutti::algorithm
