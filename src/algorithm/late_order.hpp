#pragma once
// The orders in which algorithms visit ranks of which one is known to come late: it comes last.

#include <string>
#include <vector>

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// The parameters of algorithms that are made for a late rank (Algorithm::is_for_late_rank): first which rank that is.
inline constexpr Parameter k_late_parameters[] = {
    {.name = "late", .summary = "the rank that comes last", .default_value = 0, .min = 0, .max = 1 << 24},
    {.name = "segment",
     .summary = "bytes that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 32 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

/// The guard that they share: there is such a rank, and the segments are not too many.
bool late_parameters_fit(const Request& request, const ParameterSet& parameters, std::string* why_not);

/// A chain of nodes for one rank, each with a leader that hands on to the others of its node. The root leads the first
/// one. The late rank's node is the last one, and the late rank the last in it; it leads only if it is alone there.
struct LateChain {
  LateChain(const Topology& topology, Rank me, Rank root, Rank late);

  std::vector<Rank> leaders;  // by place in the chain
  size_t place = 0;           // of my node
  std::vector<Rank> others;   // of my node, without its leader, the late one last

  Rank leader() const { return leaders[place]; }
};

/// All ranks but the late one, node by node, its own node first.
std::vector<Rank> punctual_ranks(const Topology& topology, Rank late);

}  // namespace tutti::algorithm
