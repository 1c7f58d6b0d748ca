#pragma once
// Which algorithm the agents of all nodes carry out among themselves.

#include <optional>

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"

namespace tutti::agent {

/// The collective that the agents of nodes carry out among themselves for one of their ranks.
algorithm::Collective between_nodes(algorithm::Collective collective);

/// What the description of a call says of it, and back. nullopt: nothing.
void prescribe(const algorithm::Choice& choice, Description* description);
std::optional<algorithm::Choice> prescribed(const Description& description);

/// The same on every node: depends on what all of them know alike. What is prescribed, where it serves the request.
/// Never without an algorithm.
algorithm::Choice choose_between_nodes(const algorithm::Request& request, const topology::Topology& nodes,
                                       const Description& description);

}  // namespace tutti::agent
