#pragma once
// What one call cost the program, as one rank saw it (issue 3, paper 001 §3.3). Local arithmetic; any thread.
//
// For a blocking call that is the time inside it. For a nonblocking or persistent one it is all from the
// start to the completion: a candidate that hides the transfer but slows the computation down must not win.

#include <cstdint>
#include <span>

namespace tutti::select {

struct Sample {
  uint64_t start_ns = 0;    // inside MPI_Ixxx or MPI_Start; a blocking call: all of it
  uint64_t between_ns = 0;  // then to the call that waits: the program's computation, perhaps slowed down
  uint64_t wait_ns = 0;     // inside the waiting and testing calls up to completion
  uint64_t began_ns = 0;    // of a blocking call, by this process's clock; 0: not known
  bool is_root = false;     // this rank was the root of the call
  uint64_t total_ns() const { return start_ns + between_ns + wait_ns; }
};

/// One call of a round of trials.
struct Trial {
  uint32_t candidate = 0;
  bool is_known = false;  // `sample` is there: the call has completed on this rank
  Sample sample;
};

/// Cost of a trial that has not completed: larger than any real cost, so that the maximum over ranks marks the trial
/// as unknown.
inline constexpr uint64_t k_unknown_cost = UINT64_MAX;
/// Costs are cut here (2.4 hours), which leaves room for exact arithmetic with ratios.
inline constexpr uint64_t k_most_cost_ns = uint64_t{1} << 43;

/// Fills costs[i], in ns, of trials[i]. Costs compare candidates for equal work:
///  - Where the computation between start and wait is steady, a cost is the sample's total.
///  - Where it varies by itself (the least varying candidate of the round shows how much), calls did
///    different work. Then the candidate's median computation stands for that of each of its calls, and where
///    even that differs from the median over all candidates by no more than chance explains, the latter does.
void costs_of(std::span<const Trial> trials, std::span<uint64_t> costs);

}  // namespace tutti::select
