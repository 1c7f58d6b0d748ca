#pragma once
// Timing one collective at one size beside computations, as the OSU benchmarks do: communication alone,
// computation alone, both together; both sides in turn, the slowest rank counts.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/collective/cases.hpp"
#include "bench/collective/choices.hpp"
#include "bench/collective/samples.hpp"
#include "bench/overlap/computation.hpp"
#include "bench/overlap/options.hpp"
#include "bench/overlap/starts.hpp"

namespace tutti::bench {

inline constexpr std::array k_sides = {Side::native, Side::tutti};

/// The samples of one side, without any computation.
struct Alone {
  Samples blocking_us;      // the blocking call
  Samples blocking_cpu_us;  // CPU time that this takes from the ranks' cores (CoreTime)
  Samples pure_us;          // nonblocking start and wait, with nothing in between
};

/// The samples of one side, with a computation between start and wait.
struct Together {
  Samples total_us;    // from start to the end of the wait
  Samples start_us;    // in the call that starts
  Samples compute_us;  // in the computation
  Samples cpu_us;      // CPU time of computation, calls and progress, as for Alone
};

struct BesideComputation {
  std::string computation;
  Samples compute_us;  // with nothing under way
  Samples cpu_us;
  std::array<Together, 2> sides;  // by Side
};

struct OverlapRow {
  std::string collective;
  uint64_t bytes = 0;
  int batch = 1;
  bool right = true;           // both sides, every rank (only when verified)
  std::array<Alone, 2> alone;  // by Side
  std::vector<BesideComputation> beside;
  ChoiceCounts served;  // nonblocking calls of the Tutti side by what served them; empty: not known
};

/// 100 * (1 - (total - compute) / pure) of the medians, at least 0 and at most 100.
double overlap_percent(const OverlapRow& row, const BesideComputation& beside, Side side);
/// How much longer the computation lasts with the collective under way, in % of what it lasts alone.
double slow_down_percent(const BesideComputation& beside, Side side);
/// The part of that which goes beyond the CPU time of the blocking native call; at least 0.
double slow_down_beyond_cpu_percent(const OverlapRow& row, const BesideComputation& beside, Side side);

/// CPU time of all ranks as time of the cores that they share.
struct CoreTime {
  int cores;  // of all ranks
  MPI_Comm comm;
  /// Collective: of the CPU times of all ranks what the cores need at least: the longest of one rank, or all
  /// of them spread over the cores.
  double of(double cpu_us) const;
};

/// A computation, and the communicator of the calls beside it: run-time selection chooses for each
/// communicator by itself, and what is best beside one computation need not be beside another.
struct Companion {
  std::unique_ptr<Computation> computation;
  MPI_Comm comm;
};

/// Collective. Every rank gets the same samples.
OverlapRow measure(Case& subject, const std::string& collective, const OverlapOptions& options,
                   const CoreTime& core_time, const std::vector<Companion>& companions);

}  // namespace tutti::bench
