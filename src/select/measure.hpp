#pragma once
// Cost of one call for the program, measured on one rank (issue 3, paper 001 §3.3). Local arithmetic; any thread.
//
// For a blocking call the cost is the time inside it. For a nonblocking or persistent one it is the whole time from
// start to completion, so that a candidate that hides the transfer but slows down the computation does not win.

#include <cstdint>
#include <span>

namespace tutti::select {

struct Sample {
  uint64_t start_ns = 0;    // inside MPI_Ixxx or MPI_Start; blocking calls: the whole call
  uint64_t between_ns = 0;  // until the call that waits: the program's computation, perhaps slowed down
  uint64_t wait_ns = 0;     // inside waiting and testing calls until completion
  uint64_t began_ns = 0;    // blocking calls only, by this process's clock; 0: unknown
  bool is_root = false;     // this rank was the root of the call
  uint64_t total_ns() const { return start_ns + between_ns + wait_ns; }
};

/// One call of a round of trials.
struct Trial {
  uint32_t candidate = 0;
  bool is_known = false;  // `sample` is set: the call has completed on this rank
  Sample sample;
};

/// Cost of a trial that has not completed: larger than any real cost, so that the maximum over ranks marks the trial
/// as unknown.
inline constexpr uint64_t k_unknown_cost = UINT64_MAX;
/// Upper limit of costs (2.4 hours), which leaves room for exact arithmetic with ratios.
inline constexpr uint64_t k_most_cost_ns = uint64_t{1} << 43;

/// Sets costs[i], in ns, for trials[i], so that candidates are compared for equal work:
///  - If the computation between start and wait is steady, the cost is the sample's total.
///  - If it varies by itself (by the least varying candidate of the round), calls did different work. Then the
///    candidate's median computation replaces that of each of its calls. If that median differs from the one over all
///    candidates by no more than chance explains, the latter is used.
void costs_of(std::span<const Trial> trials, std::span<uint64_t> costs);

}  // namespace tutti::select
