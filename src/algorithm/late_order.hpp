#pragma once
// The orders in which algorithms visit ranks of which one is known to come late: it comes last.

#include <string>
#include <vector>

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// Which rank is late, as a parameter of algorithms that are made for it (Algorithm::is_for_late_rank): the first one.
inline constexpr Parameter k_late_parameter{
    .name = "late", .summary = "the rank that comes last", .default_value = 0, .min = 0, .max = 1 << 24};

/// The guard that they share: there is such a rank.
bool late_rank_exists(const Request& request, uint64_t late, std::string* why_not);

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
