#pragma once
// How fast ranks and nodes are.

#include <cstdint>

namespace tutti::record::analysis {

/// How fast a rank or a node is: 1 is best. What counts is the time that it is busy, which is all but waiting.
struct Scores {
  double relative = 1;    // of a typical rank's busy time by its own: 0.5 is twice as slow
  double individual = 1;  // of its own best by its own
};
struct BusyTimes {
  uint64_t elapsed_ns = 0, waiting_ns = 0, gap_ns = 0, typical_gap_ns = 0, best_gap_ns = 0;
};
Scores scores_of(const BusyTimes& times);

}  // namespace tutti::record::analysis
