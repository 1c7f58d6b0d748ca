#pragma once
// Layout of the blocks of one buffer with prefix sums: offset of a block, length of a range of blocks, and the
// contiguous pieces of a range.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

/// Blocks with prefix sums. Uniform blocks need no memory and answer every query in O(1). Ranges wrap: block
/// `rank_count` is block 0 again. Refers to the arrays of the Blocks passed to the constructor.
///
/// Offsets are local to a rank: MPI lets every rank choose its own. Properties on which both sides of a message must
/// agree may therefore depend on sizes only, never on offsets (nor on runs).
class BlockLayout {
 public:
  BlockLayout(const Blocks& blocks, Rank rank_count, schedule::Slot slot);

  Rank rank_count() const { return rank_count_; }
  bool is_uniform() const { return blocks_.is_uniform(); }
  uint64_t size(Rank r) const { return blocks_.size(r); }
  schedule::BufRef block(Rank r) const { return {slot_, offset(r), size(r)}; }
  uint64_t total_bytes() const { return before(rank_count_); }
  uint64_t smallest_bytes() const { return blocks_.smallest(rank_count_); }
  /// Sum of the sizes of `count` <= rank_count blocks from `first` on.
  uint64_t range_bytes(Rank first, Rank count) const {
    const Rank unwrapped = std::min(count, rank_count_ - first);
    return before(first + unwrapped) - before(first) + before(count - unwrapped);
  }
  /// Calls visit(BufRef) for `count` blocks from `first` on, in this order; adjacent blocks are joined to one piece,
  /// empty ones are skipped.
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
