#pragma once
// Exchanges of ranges of blocks, for allgather(v) algorithms in which the messages grow from round to round.

#include "algorithm/allgather/own_block.hpp"

namespace tutti::algorithm {

/// Sends and receives blocks at their final offsets, and records after which task each block is available.
///
/// Blocks of allgather are contiguous on every rank, so that a range of them is one message. In allgatherv every rank
/// chooses its own offsets, so that a range that is contiguous on one rank need not be on another: each block is a
/// message of its own.
class RangeExchange {
 public:
  RangeExchange(ScheduleBuilder& builder, const Request& request, Rank me);

  /// Blocks first, first + 1, …; each must have been received or be this rank's own.
  void send(Rank to, Rank first, Rank count);
  void recv(Rank from, Rank first, Rank count);

 private:
  TaskId& ready(Rank block) { return ready_[static_cast<size_t>(block)]; }
  BufRef range(Rank first, Rank count) const;

  ScheduleBuilder& builder_;
  const AllgatherStart start_;
  const bool ranges_are_one_piece_;
  TaskIds ready_;
};

}  // namespace tutti::algorithm
