#pragma once
// Exchanges of ranges of blocks, for allgather(v) algorithms in which what is sent grows from round to round.

#include "algorithm/allgather/allgather_start.hpp"

namespace tutti::algorithm {

/// Sends and receives blocks at their final places, and keeps account of which block is there after which
/// task.
///
/// Blocks of the plain collective follow each other on every rank, so a range of them is one message. In the
/// v form every rank chooses its own offsets, so that what follows each other here may not do so there: each
/// block is a message of its own.
class RangeExchange {
 public:
  RangeExchange(schedule::ScheduleBuilder& builder, const Request& request, Rank me);

  /// Blocks first, first + 1, …, which have all been received (or are the own one).
  void send(Rank to, Rank first, Rank count);
  void recv(Rank from, Rank first, Rank count);

 private:
  TaskId& ready(Rank block) { return ready_[static_cast<size_t>(block)]; }
  schedule::BufRef range(Rank first, Rank count) const;

  schedule::ScheduleBuilder& builder_;
  const AllgatherStart start_;
  const bool ranges_are_one_piece_;
  TaskIds ready_;
};

}  // namespace tutti::algorithm
