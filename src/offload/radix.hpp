#pragma once
// The radix with which a dissemination barrier is fastest, computed from the costs of the network. Pure; any
// thread.
//
// The model is LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995) for several messages at once. All
// nodes post together; every node has a send engine, a port into the network and a receive engine:
//
//   send engine      starts a message at most every max(o_s, g), and each takes o_s
//   port             carries one message after the other, S each
//   network          L, the same between any two nodes, without congestion
//   receive engine   starts on a message at most every max(o_r, g), and each takes o_r
//
// A round's sends are ready t after the last arrival of the round before is received. The dissemination
// pattern is the same for every node, hence so is the time, and one node's time is the barrier's.

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "pattern/dissemination.hpp"

namespace tutti::offload {

/// Times in picoseconds, each at most k_most_cost_ps.
struct NetworkCosts {
  uint64_t latency_ps = 0;           // L
  uint64_t send_overhead_ps = 0;     // o_s, per message
  uint64_t receive_overhead_ps = 0;  // o_r, per message
  uint64_t gap_ps = 0;               // g, between messages of one engine
  uint64_t serialisation_ps = 0;     // S, of one notification at the port (bytes · G)
  uint64_t round_ps = 0;             // t, between rounds
};
inline constexpr uint64_t k_most_cost_ps = 1'000'000'000'000;  // a second

struct RadixTime {
  uint32_t radix = 0;
  uint32_t rounds = 0;
  uint32_t messages = 0;  // that each node sends
  uint64_t time_ps = 0;   // from the common post to the last receive
  bool operator==(const RadixTime&) const = default;
};

/// A dissemination barrier among `nodes` (at least 1), in the model above. O(messages).
/// `radix` is at least 2, and odd for the symmetric shape.
RadixTime dissemination_time(uint32_t nodes, uint32_t radix, pattern::DisseminationShape shape,
                             const NetworkCosts& costs);

/// All radices that a descriptor has room for and whose rounds are few enough, in ascending order. Never
/// empty: 8 rounds of radix 16 reach 2^32 nodes, and 9 of radix 15.
std::vector<RadixTime> dissemination_times(uint32_t nodes, pattern::DisseminationShape shape,
                                           const NetworkCosts& costs);

/// The least time of these, and of equal ones the least radix: fewest messages. `times` is not empty.
RadixTime best_of(const std::vector<RadixTime>& times);

}  // namespace tutti::offload
