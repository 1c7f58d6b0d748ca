#pragma once
// Making the calls of one site again and again, so that run-time selection can try its candidates in them.

#include <mpi.h>

#include <cstdint>

#include "bench/overlap/computation.hpp"
#include "bench/tune/calls.hpp"
#include "bench/tune/options.hpp"

namespace tutti::bench {

/// One call site: what a rule can be learned for.
struct TunedSite {
  const TunedCalls* calls = nullptr;
  select::CallInterface kind = select::CallInterface::blocking;
  uint64_t bytes = 0;  // as rules measure it
  int calls_made = 0;
  double seconds = 0;
};

/// Collective. Calls `site` as long as the options say: all ranks end after the same call. `control`: a
/// communicator of its own for what the ranks say to each other; `computation` runs between start and wait,
/// nullptr: nothing does.
void explore(TunedSite* site, TunedData& data, const TuneOptions& options, Computation* computation,
             MPI_Comm control);

}  // namespace tutti::bench
