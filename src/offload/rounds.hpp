#pragma once
// The rounds of one node, computed from its rank and the number of nodes alone (paper 003 §2.2). Pure; any
// thread.

#include <vector>

#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "pattern/dissemination.hpp"

namespace tutti::offload {

inline constexpr uint32_t k_least_radix = 2;
inline constexpr uint32_t k_most_radix = k_most_peers + 1;

/// Rounds of a barrier by k-way dissemination (paper 003 §1.2), k = radix - 1: pattern/dissemination.hpp
/// defines the peers. `radix` is in [2, 16], and odd for the symmetric shape; 20 rounds reach radix^20 nodes.
/// Error: invalid_argument, one line.
base::Result<std::vector<Round>> dissemination(uint32_t nodes, NodeId rank, uint32_t radix,
                                               pattern::DisseminationShape shape);

/// Rounds of an allreduce by recursive multiplying with fold: pattern/multiplying.hpp defines the peers.
/// Folded nodes receive the result in the last round and are idle in the rounds between. Every node computes
/// the same value from the same operands in rank order. `radix` is in [2, 16]. Error: invalid_argument, one
/// line.
base::Result<std::vector<Round>> recursive_multiplying(uint32_t nodes, NodeId rank, uint32_t radix);

}  // namespace tutti::offload
