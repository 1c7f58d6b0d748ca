#pragma once
// Common start of the allgather(v) algorithms that receive every block at its final offset.

#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/phase.hpp"

namespace tutti::algorithm {

struct AllgatherStart {
  Members members;
  std::vector<BufRef> places;  // final buffers of all blocks in the output
  BufRef own;                  // this rank's block, readable at the start
  TaskId own_placed;           // after it this rank's block is in places[me], too
};

/// Copies this rank's block to its final offset, unless it is in place.
AllgatherStart start_allgather(ScheduleBuilder& builder, const Request& request, Rank me);

}  // namespace tutti::algorithm
