#pragma once
// How the allgather(v) algorithms that receive every block at its final place begin.

#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/phase.hpp"

namespace tutti::algorithm {

struct AllgatherStart {
  Members members;
  std::vector<schedule::BufRef> places;  // of all blocks in the output
  schedule::BufRef own;                  // the own block, readable at once
  TaskId own_placed;                     // after it the own block lies at its place, too
};

/// Brings the own block to its place unless it is there already.
AllgatherStart start_allgather(schedule::ScheduleBuilder& builder, const Request& request, Rank me);

}  // namespace tutti::algorithm
