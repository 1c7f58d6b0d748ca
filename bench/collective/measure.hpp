#pragma once
// Timing one case: both sides in turn, the slowest rank counts.

#include <string>

#include "bench/collective/cases.hpp"
#include "bench/collective/choices.hpp"
#include "bench/collective/options.hpp"
#include "bench/collective/samples.hpp"

namespace tutti::bench {

/// The samples of one side, by repetition.
struct SideSamples {
  Samples us;  // per call, of the slowest rank
  Samples
      cpu_us;  // per call, of all threads of all ranks together: from its start on each rank to its end there
};

struct Measurement {
  std::string collective;
  uint64_t bytes = 0;
  int batch = 1;
  SideSamples native, tutti;
  double limit_us = 0;  // 0: no bound known
  ChoiceCounts served;  // calls of the Tutti side by what served them; empty: not known
  std::string choice;   // the same in words (choices.hpp)
  bool right = true;    // both sides, every rank (only when verified)

  /// Both sides ran the MPI's own code: no ratio says anything about an algorithm.
  bool is_same_code() const { return choice == "native"; }
};

/// Collective. Every rank gets the same samples.
Measurement measure(Case& subject, const std::string& collective, const Options& options, int batch,
                    MPI_Comm comm);

}  // namespace tutti::bench
