#pragma once
// Timing one case: both sides in turn, the slowest rank counts.

#include <string>
#include <vector>

#include "cases.hpp"
#include "options.hpp"

namespace tutti::bench {

/// Times of one side in µs per call, one per repetition: of the rank that needed longest.
struct Samples {
  std::vector<double> us;
  double median() const;
  double min() const;
  double max() const;
};

struct Measurement {
  std::string collective;
  uint64_t bytes = 0;
  int batch = 1;
  Samples native, tutti;
  double limit_us = 0;  // 0: no bound known
  bool right = true;    // both sides, every rank (only when verified)
};

/// Collective. Every rank gets the same samples.
Measurement measure(Case& subject, const Options& options, int batch, MPI_Comm comm);

}  // namespace tutti::bench
