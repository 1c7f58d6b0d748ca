#pragma once
// The blocks of one buffer, ready for questions that algorithms ask: where is block r, how long is a range of
// blocks, in how many pieces does it lie.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

/// Blocks with prefix sums. Uniform blocks hold no memory and answer everything in O(1).
/// Ranges wrap: block `rank_count` is block 0 again. Uses the arrays of the Blocks it was made from.
///
/// Offsets belong to one rank: MPI lets every rank choose its own. What both sides of a message must agree on
/// may therefore depend on sizes only, never on offsets (nor on runs).
class BlockLayout {
 public:
  BlockLayout(const Blocks& blocks, Rank rank_count, schedule::Slot slot);

  Rank rank_count() const { return rank_count_; }
  bool is_uniform() const { return blocks_.is_uniform(); }
  uint64_t size(Rank r) const { return blocks_.size(r); }
  schedule::BufRef block(Rank r) const { return {slot_, offset(r), size(r)}; }
  uint64_t total_bytes() const { return before(rank_count_); }
  uint64_t smallest_bytes() const;
  /// Sum of the sizes of `count` <= rank_count blocks from `first` on.
  uint64_t range_bytes(Rank first, Rank count) const {
    const Rank unwrapped = std::min(count, rank_count_ - first);
    return before(first + unwrapped) - before(first) + before(count - unwrapped);
  }
  /// Calls visit(BufRef) for `count` blocks from `first` on, in this order; blocks that follow each other in
  /// memory come as one piece, empty ones not at all.
  template <class Visit>
  void for_each_run(Rank first, Rank count, Visit visit) const {
    schedule::BufRef run{slot_, 0, 0};
    const auto append = [&](schedule::BufRef next) {
      if (next.empty()) return;
      if (!run.empty() && run.end() == next.offset) {
        run.length += next.length;
        return;
      }
      if (!run.empty()) visit(run);
      run = next;
    };
    if (blocks_.is_uniform()) {
      const Rank unwrapped = std::min(count, rank_count_ - first);
      append({slot_, offset(first), before(unwrapped)});
      append({slot_, 0, before(count - unwrapped)});
    } else {
      for (Rank i = 0; i < count; ++i) append(block((first + i) % rank_count_));
    }
    if (!run.empty()) visit(run);
  }

 private:
  uint64_t before(Rank r) const {
    return blocks_.is_uniform() ? blocks_.uniform_bytes * static_cast<uint64_t>(r)
                                : before_[static_cast<size_t>(r)];
  }
  uint64_t offset(Rank r) const {
    return blocks_.offsets.empty() ? before(r) : blocks_.offsets[static_cast<size_t>(r)];
  }

  Blocks blocks_;
  Rank rank_count_;
  schedule::Slot slot_;
  std::vector<uint64_t> before_;  // sum of the sizes before block r; rank_count + 1 entries unless uniform
};

}  // namespace tutti::algorithm
