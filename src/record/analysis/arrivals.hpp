#pragma once
// When the ranks of a recorded run came to its calls, as a pattern of arrivals (arrival/recording.hpp) that models and
// simulations take.

#include <cstdint>
#include <string>

#include "record/analysis/assembler.hpp"

namespace tutti::record::analysis {

struct ArrivalsText {
  std::string text;     // a line for each call
  uint64_t calls = 0;   // lines
  uint64_t others = 0;  // calls of some ranks only, and those after `most_numbers`
};

/// The calls that all ranks of the run made together, as many as have `most_numbers` ranks together, each with the
/// microseconds by which a rank came after the first, rank by rank of MPI_COMM_WORLD. A rank that left no file is taken
/// to come with the median of the others.
ArrivalsText arrivals_text(const RunFiles& run, const RunTables& tables, uint64_t most_numbers);

}  // namespace tutti::record::analysis
