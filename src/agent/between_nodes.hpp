#pragma once
// Which algorithm the agents of all nodes carry out among themselves.

#include "algorithm/algorithm.hpp"

namespace tutti::agent {

/// The same on every node: depends on what all of them know alike. Never without an algorithm.
algorithm::Choice choose_between_nodes(const algorithm::Request& request, const topology::Topology& nodes);

}  // namespace tutti::agent
