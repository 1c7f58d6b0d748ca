#pragma once
// Shared by allgather(v) and reduce-scatter with parallel aggregated trees (pattern/pat.hpp).

#include "algorithm/parameters.hpp"
#include "algorithm/segment_turns.hpp"
#include "pattern/pat.hpp"

namespace tutti::algorithm {

/// Groups blocks into messages. Both sides of every message agree, because all ranks know all sizes.
class PatMessages {
 public:
  using Message = pattern::Pat::Message;

  /// Short blocks share messages of at most `segment_bytes`. Refers to the arrays of `request`.
  PatMessages(const Request& request, uint64_t segment_bytes);

  Rank farthest() const { return pattern_.farthest(); }
  /// The rank whose block has offset `offset` at `rank`.
  Rank owner(Rank rank, Rank offset) const {
    return offset <= rank ? rank - offset : rank - offset + pattern_.count;
  }
  uint64_t size(Rank rank, Rank offset) const { return blocks_.size(owner(rank, offset)); }
  /// Messages from `rank` to rank + distance (allgather), or in the reverse direction (reduce-scatter).
  std::vector<Message> between(Rank rank, Rank distance) const;
  /// Calls visit(offset, position in the message, bytes) for the blocks of a message.
  template <class Visit>
  void for_each_block(Rank rank, Rank distance, const Message& message, Visit visit) const {
    uint64_t at = 0;
    for (Rank i = 0, offset = message.first_offset; i < message.blocks; ++i, offset += 2 * distance) {
      visit(offset, at, size(rank, offset));
      at += size(rank, offset);
    }
  }
  uint64_t bytes(Rank rank, Rank distance, const Message& message) const;
  /// Upper limit of the length of a message that joins blocks, and of a block.
  uint64_t longest_bytes() const;
  uint64_t total_bytes() const { return blocks_.total(pattern_.count); }

 private:
  const pattern::Pat pattern_;
  const Blocks& blocks_;
  const uint64_t segment_bytes_;
};

/// Rounds and bytes if messages that join blocks wait for one of two buffers for packing and for receiving (Turns).
/// `is_allgather`: long distances first; otherwise a reduce-scatter, in which every message waits for a receive buffer,
/// except those of the first and of the last round. Exact if all blocks have one size, otherwise an upper bound.
Cost pat_cost(const Request& request, uint64_t segment_bytes, bool is_allgather);

/// One rank's values of all blocks. An allgather sends them from `rank` to rank + distance; a reduce-scatter is the
/// same with time reversed, and reduces values where they land.
class PatValues {
 public:
  PatValues(ScheduleBuilder& builder, const PatMessages& messages, Rank me)
      : builder_(builder),
        messages_(messages),
        me_(me),
        packing_(builder, messages.longest_bytes()),
        landing_(builder, messages.longest_bytes()) {}

  /// Sends the blocks of a message between `lower` and lower + distance, of which this rank is one.
  void send(Rank to, Rank lower, Rank distance, const PatMessages::Message& message);

 protected:
  struct Value {
    BufRef place;
    TaskId ready = k_no_task;
  };
  /// The value of the block that has offset `offset` at `lower`.
  Value& value(Rank lower, Rank distance, Rank offset) {
    return values_[static_cast<size_t>(lower == me_ ? offset : offset + distance)];
  }

  ScheduleBuilder& builder_;
  const PatMessages& messages_;
  const Rank me_;
  std::vector<Value> values_;  // by the offset of the block at this rank
  Turns packing_, landing_;
};

inline constexpr Parameter k_pat_parameters[] = {
    segment_parameter(64 << 10, "bytes up to which blocks travel together")};

}  // namespace tutti::algorithm
