#include "record/analysis/scores.hpp"

#include <algorithm>

namespace tutti::record::analysis {

Scores scores_of(const BusyTimes& times) {
  const auto busy_ns = static_cast<double>(times.elapsed_ns - std::min(times.waiting_ns, times.elapsed_ns));
  const auto without = [&](uint64_t wanted_ns) {
    const auto excess_ns = static_cast<double>(times.gap_ns - std::min(wanted_ns, times.gap_ns));
    return busy_ns <= 0 ? 1.0 : std::max(0.0, 1 - excess_ns / busy_ns);
  };
  return {.relative = without(times.typical_gap_ns), .individual = without(times.best_gap_ns)};
}

}  // namespace tutti::record::analysis
