#pragma once
// Metrics for collectives with skewed arrivals: three figures and their lower bounds. Pure; any thread.

#include <cstdint>
#include <span>
#include <string_view>

namespace tutti::arrival {

/// Which arrivals the result of a rank depends on.
enum class Waits : uint8_t {
  for_root,   // bcast, scatter: the root's arrival
  of_root,    // reduce, gather: the root waits for all, the others do not wait
  for_lower,  // scan: the arrivals of the lower ranks
  for_all,    // barrier, allreduce, alltoall and similar
};

/// For a collective's MPI name in lower case, with or without a final v or w: "bcast", "gatherv".
Waits waits_of(std::string_view collective);

/// One call on one rank, by the common clock of all ranks; in any unit.
struct Visit {
  double arrival = 0, exit = 0;
};

/// Figures over several calls, in the unit of their visits.
struct Figures {
  double slowest = 0;  // time inside the call of the rank whose mean over the calls is greatest (paper 000,
                       // Definition 2)
  double mean = 0;     // time inside the call, mean over ranks and calls
  double after_last = 0;                     // from the last arrival to the last exit, mean over the calls
  double floor_slowest = 0, floor_mean = 0;  // lower bounds of `slowest` and `mean` for any algorithm
};

/// `visits[call * ranks + rank]` of at least one call; root < ranks.
Figures figures_of(std::span<const Visit> visits, uint32_t ranks, Waits waits, uint32_t root);

}  // namespace tutti::arrival
