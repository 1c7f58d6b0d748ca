#pragma once
// Repeated measurements of one thing, and the three numbers that stand for them.

#include <vector>

namespace tutti::bench {

/// One value per repetition, usually µs of the rank that needed longest. Median, min and max need at least
/// one.
struct Samples {
  std::vector<double> values;
  double median() const;
  double min() const;
  double max() const;
};

}  // namespace tutti::bench
