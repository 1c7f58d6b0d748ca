#pragma once
// When ranks arrive at a call, and what its times say.

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::bench {

/// How long rank `rank` computes before call `call`: uniform in [0, most_ms], the same for every side and
/// run.
double delay_ms(uint64_t seed, int rank, int call, double most_ms);

/// One call on one rank, by a clock that all ranks share.
struct Visit {
  double arrival_us = 0, exit_us = 0;
};

/// Of the calls of a batch; all in µs.
struct LateFigures {
  double mean = 0;        // time inside the call, mean over ranks and calls
  double slowest = 0;     // of the rank whose mean over the calls is greatest
  double after_last = 0;  // from the last arrival to the last exit, mean over the calls
  double unavoidable =
      0;  // from a rank's arrival to the root's, if that comes later; mean over ranks and calls
};

/// `visits[call * ranks + rank]`.
LateFigures figures_of(std::span<const Visit> visits, int ranks, int root);

}  // namespace tutti::bench
