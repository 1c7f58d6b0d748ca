#pragma once
// What allgather(v) and reduce-scatter by parallel aggregated trees share (pattern/pat.hpp).

#include <array>

#include "algorithm/algorithm.hpp"
#include "algorithm/phase.hpp"
#include "pattern/pat.hpp"

namespace tutti::algorithm {

/// Which blocks travel together. Both sides of every message agree, because all know all sizes.
class PatMessages {
 public:
  using Message = pattern::Pat::Message;

  /// Short blocks travel together in messages of at most `segment_bytes`. Uses the arrays of `request`.
  PatMessages(const Request& request, uint64_t segment_bytes);

  Rank farthest() const { return pattern_.farthest(); }
  /// The rank whose block has this offset at `rank`.
  Rank owner(Rank rank, Rank offset) const {
    return offset <= rank ? rank - offset : rank - offset + pattern_.count;
  }
  uint64_t size(Rank rank, Rank offset) const { return blocks_.size(owner(rank, offset)); }
  /// From `rank` to rank + distance (allgather), or from there to it (reduce-scatter).
  std::vector<Message> between(Rank rank, Rank distance) const;
  /// Calls visit(offset, place in the message, bytes) for its blocks.
  template <class Visit>
  void for_each_block(Rank rank, Rank distance, const Message& message, Visit visit) const {
    uint64_t at = 0;
    for (Rank i = 0, offset = message.first_offset; i < message.blocks; ++i, offset += 2 * distance) {
      visit(offset, at, size(rank, offset));
      at += size(rank, offset);
    }
  }
  uint64_t bytes(Rank rank, Rank distance, const Message& message) const;
  /// No message that joins blocks is longer, and no block.
  uint64_t longest_bytes() const;
  uint64_t total_bytes() const;

 private:
  const pattern::Pat pattern_;
  const Blocks& blocks_;
  const uint64_t segment_bytes_;
};

/// Rounds and bytes where messages that join blocks wait for one of two places to be packed in and to land in
/// (Turns). `is_allgather`: far distances first; otherwise a reduce-scatter, where every message waits for a place to
/// land in but for those of the first and of the last round. Exact where all blocks have one size, otherwise a bound.
Cost pat_cost(const Request& request, uint64_t segment_bytes, bool is_allgather);

/// Two places in scratch memory that messages use by turns.
class Turns {
 public:
  Turns(schedule::ScheduleBuilder& builder, uint64_t bytes) : builder_(builder), bytes_(bytes) {}

  struct Place {
    schedule::BufRef memory;
    TaskId free;  // what has to be over before it is written
  };
  Place next(uint64_t bytes);
  /// The place that next() gave last is in use until `task` is over.
  void hold_until(TaskId task) { free_[turn_] = task; }

 private:
  schedule::ScheduleBuilder& builder_;
  const uint64_t bytes_;
  std::array<schedule::BufRef, 2> places_;
  std::array<TaskId, 2> free_ = {schedule::k_no_task, schedule::k_no_task};
  size_t turn_ = 1;
};

inline constexpr Parameter k_pat_parameters[] = {
    {.name = "segment",
     .summary = "bytes up to which blocks travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 64 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

}  // namespace tutti::algorithm
