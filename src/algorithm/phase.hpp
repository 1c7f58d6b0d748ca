#pragma once
// Types that the phases of algorithms share. A phase adds the tasks of one rank to a builder.

#include <functional>
#include <vector>

#include "pattern/shape.hpp"
#include "schedule/schedule.hpp"

namespace tutti::algorithm {

using schedule::TaskId;
using TaskIds = std::vector<TaskId>;

/// The ranks of a phase, by position 0 … count - 1.
struct Members {
  schedule::Rank count = 1;
  schedule::Rank me = 0;
  std::function<schedule::Peer(schedule::Rank position)> peer;
};

/// Offset of block i of a vector in bytes; block `count` is the end of the vector.
using BlockOffset = std::function<uint64_t(schedule::Rank block)>;

}  // namespace tutti::algorithm
