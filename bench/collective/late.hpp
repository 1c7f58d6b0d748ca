#pragma once
// Calls whose ranks arrive at different times, as in Fig. 11 of paper 000: all ranks meet, each waits as long as
// the pattern says, and calls. Both sides in turn, with the same arrivals.

#include <array>
#include <string>

#include "arrival/figures.hpp"
#include "arrival/pattern.hpp"
#include "base/status.hpp"
#include "bench/collective/cases.hpp"
#include "bench/collective/choices.hpp"
#include "bench/collective/options.hpp"
#include "bench/collective/samples.hpp"

namespace tutti::bench {

struct NamedFigure {
  const char* name;  // in files
  const char* heading;
  double arrival::Figures::*figure;
};
inline constexpr std::array k_late_figures = {
    NamedFigure{"slowest_us", "Slowest", &arrival::Figures::slowest},
    NamedFigure{"mean_us", "Mean", &arrival::Figures::mean},
    NamedFigure{"after_last_us", "After last", &arrival::Figures::after_last},
    NamedFigure{"floor_slowest_us", "Floor, slowest", &arrival::Figures::floor_slowest},
    NamedFigure{"floor_mean_us", "Floor, mean", &arrival::Figures::floor_mean}};

/// The samples of one side, by repetition, in the order of k_late_figures; in µs.
using LateSamples = std::array<Samples, k_late_figures.size()>;

struct LateMeasurement {
  std::string collective;
  uint64_t bytes = 0;
  LateSamples native, tutti;
  double clock_error_us = 0;  // of times on different nodes; 0 on a single one
  ChoiceCounts served;        // calls of the Tutti side by what served them; empty: not known
  std::string choice;         // the same in words (choices.hpp)
  bool right = true;          // both sides, every rank (only when verified)
};

/// Collective over `comm`, natively. The pattern that options.arrivals names, the same on all ranks: a file is
/// read by rank 0 alone. Error: one line, on rank 0; elsewhere any.
base::Result<arrival::Pattern> arrivals_of_all(const std::string& text, MPI_Comm comm);

/// Collective over `comm`, which `subject` was made for. The samples are rank 0's.
LateMeasurement measure_late(Case& subject, const std::string& collective, const arrival::Pattern& arrivals,
                             const Options& options, MPI_Comm comm);

}  // namespace tutti::bench
