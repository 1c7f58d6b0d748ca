#pragma once
// Which calls agents serve, and what they are told of them.

#include <cstdint>
#include <string>

#include "agent/description.hpp"
#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "topology/topology.hpp"

namespace tutti::agent {

/// May agents serve this request? Otherwise *why_not says why in one line. Reads nothing that only one rank knows.
bool serves(const algorithm::Request& request, const topology::Topology& topology, std::string* why_not);

/// The call, to be cut into parts of `bytes` (Call); of reductions, operator and element type are still to be given.
/// `area_bytes`: of the smallest board among the nodes. `choice`: of the agents among themselves
/// (between_nodes()); without an algorithm they choose. bytes == 0 where not even one element fits, unless the call
/// carries nothing.
Description describe(const algorithm::Request& request, const topology::Topology& topology,
                     uint64_t area_bytes, const algorithm::Choice& choice = {});
/// False: see describe().
bool fits(const Description& whole);
/// May agents be quick with it, late ranks or not? Not if it takes many parts, each of which goes through all of them.
/// Reads nothing that only one rank knows.
bool may_be_quick(const algorithm::Request& request, const topology::Topology& topology);

}  // namespace tutti::agent
