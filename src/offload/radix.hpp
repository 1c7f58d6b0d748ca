#pragma once
// Computes the radix with which a dissemination barrier is fastest from the costs of the network. Pure; any
// thread.
//
// The model is LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995) for several messages at once. All
// nodes post at the same time. Every node has a send engine, a port into the network and a receive engine:
//
//   send engine      starts a message at most every max(o_s, g), and each takes o_s
//   port             carries one message after the other, S each
//   network          L, the same between any two nodes, without congestion
//   receive engine   starts on a message at most every max(o_r, g), and each takes o_r
//
// The sends of a round are ready t after the receipt of the last message of the previous round. All nodes
// have the same dissemination pattern and therefore the same time, which is the time of the barrier.

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
  uint32_t messages = 0;  // sent by each node
  uint64_t time_ps = 0;   // from the common post to the last receive
  bool operator==(const RadixTime&) const = default;
};

/// Time of a dissemination barrier among `nodes` (at least 1) in the model above. O(messages). `radix` is at
/// least 2, and odd for the symmetric shape.
RadixTime dissemination_time(uint32_t nodes, uint32_t radix, pattern::DisseminationShape shape,
                             const NetworkCosts& costs);

/// Times of all radices that fit into a descriptor with few enough rounds, in ascending order. Never empty: 8
/// rounds of radix 16 reach 2^32 nodes, as do 9 of radix 15.
std::vector<RadixTime> dissemination_times(uint32_t nodes, pattern::DisseminationShape shape,
                                           const NetworkCosts& costs);

/// The entry with the least time; among equal ones the smallest radix, which has the fewest messages. `times`
/// is not empty.
RadixTime best_of(const std::vector<RadixTime>& times);

}  // namespace tutti::offload
