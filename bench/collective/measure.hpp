#pragma once
// Timing one case: both sides in turn, the slowest rank counts.

#include <string>

#include "bench/collective/cases.hpp"
#include "bench/collective/options.hpp"
#include "bench/collective/samples.hpp"

namespace tutti::bench {

struct Measurement {
  std::string collective;
  uint64_t bytes = 0;
  int batch = 1;
  Samples native, tutti;  // µs per call
  double limit_us = 0;    // 0: no bound known
  bool right = true;      // both sides, every rank (only when verified)
};

/// Collective. Every rank gets the same samples.
Measurement measure(Case& subject, const Options& options, int batch, MPI_Comm comm);

}  // namespace tutti::bench
