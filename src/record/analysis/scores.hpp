#pragma once
// Speed scores of ranks and nodes.

#include <cstdint>

namespace tutti::record::analysis {

/// Speed of a rank or node: 1 is best. Compares busy time, which is all time except waiting.
struct Scores {
  double relative = 1;    // busy time of a typical rank / its own: 0.5 is twice as slow
  double individual = 1;  // its own best busy time / its own
};
struct BusyTimes {
  uint64_t elapsed_ns = 0, waiting_ns = 0, gap_ns = 0, typical_gap_ns = 0, best_gap_ns = 0;
};
Scores scores_of(const BusyTimes& times);

}  // namespace tutti::record::analysis
