#pragma once
// Monte Carlo simulation of a broadcast by a binomial tree of nodes. All processes arrive at different times, not only
// the root, which the model of paper 000 does not cover. Under its Definition 2, the mean time of the slowest process,
// every process also waits for a late root: k/6 at U[0, k]. Pure; any thread.
//
// A message between nodes takes `transfer_ns`, needs sender and receiver, and ends for both at once (§2.1). A member of
// a node has the data `local_ns` after both the node has it and the member has arrived. A leader leaves after its last
// message: passing the data on inside its node takes none of its time (§2.3, Fig. 5).

#include <cstdint>
#include <string_view>

#include "arrival/estimate.hpp"
#include "arrival/pattern.hpp"
#include "base/status.hpp"

namespace tutti::arrival {

/// Which process or thread is a node's leader. On the root's node it is the root, or its agent.
enum class Leader : uint8_t {
  fixed,  // the node's first process (P)
  first,  // the first process to arrive (CP)
  agent,  // a thread that is always available; the root passes it the data within `local_ns`, and leaves
};
std::string_view to_string(Leader leader);  // "fixed", "first", "agent"

struct Broadcast {
  uint32_t processes = 1024, nodes = 128;  // processes are a multiple of nodes; at most k_most_processes
  Leader leader = Leader::fixed;           // with one process on each node fixed and first are the same
  double transfer_ns = 0, local_ns = 0;    // 0 to 1e12
};
inline constexpr uint32_t k_most_processes = 1U << 20;

/// Error: invalid_argument, one line.
base::Status check(const Broadcast& of);

/// All times in nanoseconds. A maximum over processes is taken over the estimates, so noise raises it by up to a few of
/// the standard errors given, which are those of that process.
struct BroadcastTimes {
  Estimate slowest;                    // time inside the call, largest mean of a process (Definition 2)
  Estimate mean;                       // time inside the call, mean over processes
  Estimate after_last;                 // from the last arrival to the last exit
  Estimate floor_slowest, floor_mean;  // lower bounds of the first two: the wait for the root
};

/// Simulates `trials` (> 0) broadcasts from process 0. `of` and `arrivals` must pass check().
BroadcastTimes sampled_times(const Broadcast& of, const Pattern& arrivals, uint32_t trials, uint64_t seed);

}  // namespace tutti::arrival
