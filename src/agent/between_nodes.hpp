#pragma once
// Selects the algorithm that the agents of all nodes run among themselves.

#include <optional>

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"

namespace tutti::agent {

/// The collective that the agents, one rank per node, run among themselves for a collective of their ranks.
algorithm::Collective between_nodes(algorithm::Collective collective);

/// Writes the choice of algorithm to a call's description, and reads it. nullopt: none.
void prescribe(const algorithm::Choice& choice, Description* description);
std::optional<algorithm::Choice> prescribed(const Description& description);

/// Rank-invariant. Returns the prescribed algorithm if it applies to the request. Always returns an
/// algorithm.
algorithm::Choice choose_between_nodes(const algorithm::Request& request, const topology::Topology& nodes,
                                       const Description& description);

}  // namespace tutti::agent
