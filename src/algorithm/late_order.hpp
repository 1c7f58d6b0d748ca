#pragma once
// Orders of ranks for algorithms with one known late rank: the late rank is last.

#include <string>
#include <vector>

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"

namespace tutti::algorithm {

/// The parameters of algorithms with Algorithm::is_for_late_rank: first the late rank.
inline constexpr Parameter k_late_parameters[] = {
    {.name = "late", .summary = "the rank that comes last", .default_value = 0, .min = 0, .max = 1 << 24},
    segment_parameter(32 << 10),
};

/// The condition that these algorithms share: the late rank exists, and there are not too many segments.
bool late_parameters_fit(const Request& request, const Topology& topology, const ParameterSet& parameters,
                         std::string* why_not);

/// A chain of nodes as seen by one rank. Each node has a leader that forwards to the others of its node. The root leads
/// the first node. The late rank's node is the last one, unless the root is on it. A late rank leads only if it is the
/// root or alone on its node.
struct LateChain {
  LateChain(const Topology& topology, Rank me, Rank root, Rank late);

  std::vector<Rank> leaders;  // by position in the chain
  size_t place = 0;           // position of this rank's node
  std::vector<Rank> others;   // members of this rank's node without its leader; the late rank is last

  Rank leader() const { return leaders[place]; }
};

/// All ranks except the late one, node by node, the late rank's node first.
std::vector<Rank> punctual_ranks(const Topology& topology, Rank late);

}  // namespace tutti::algorithm
