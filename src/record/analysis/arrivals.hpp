#pragma once
// Exports the arrival times of a recorded run as a pattern of arrivals (arrival/recording.hpp) for models and
// simulations.

#include <cstdint>
#include <string>

#include "record/analysis/assembler.hpp"

namespace tutti::record::analysis {

struct ArrivalsText {
  std::string text;     // a line for each call
  uint64_t calls = 0;   // lines
  uint64_t others = 0;  // calls that only some ranks made, and those beyond `most_numbers`
};

/// The calls that all ranks of the run made together, until the numbers exceed `most_numbers`. Each line holds the
/// delay of each rank after the first one, in microseconds, in the order of MPI_COMM_WORLD. A rank that left no file
/// gets the median of the others.
ArrivalsText arrivals_text(const RunFiles& run, const RunTables& tables, uint64_t most_numbers);

}  // namespace tutti::record::analysis
