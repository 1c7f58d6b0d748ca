#pragma once
// Two-level collectives on a vector (bcast, reduce, allreduce): every segment is reduced inside the nodes, passes
// between the leaders and is broadcast inside the nodes. A collective leaves out the levels that it does not need.
//
//   members ─► leader      collect: reduce inside the node        segment s+1
//   leader ◄═► leaders     between: a flat algorithm              segment s
//   leader ─► members      hand out: broadcast inside the node    segment s-1

#include "algorithm/hierarchy.hpp"

namespace tutti::algorithm {

/// The levels of a collective, as its parameters select them.
struct VectorLevels {
  const Algorithm* collect = nullptr;   // reduces to the leader; nullptr: the leaders have the vector
  const Algorithm* between = nullptr;   // of the same collective as the whole
  const Algorithm* hand_out = nullptr;  // broadcasts from the leader; nullptr: the leaders keep the result
  uint64_t segment_bytes = 0;           // wanted
  uint64_t lanes = 1;                   // wanted
};

bool vector_levels_apply(const VectorLevels& levels, const RankInvariantRequest& request,
                         const Topology& topology, std::string* why_not);
/// The schedule of one rank. The root, if there is one, leads its node.
BuildResult build_vector_levels(const VectorLevels& levels, const Request& request, Rank me,
                                const Topology& topology);
/// An upper bound: the rounds of all levels per turn of the segment ring.
Cost vector_levels_cost(const VectorLevels& levels, const Request& request, const Topology& topology);

/// Functions of a catalogue entry.
template <VectorLevels (*k_levels)(const ParameterSet&)>
struct TwoLevelVector {
  static bool applies(const RankInvariantRequest& request, const Topology& topology,
                      const ParameterSet& parameters, std::string* why_not) {
    return vector_levels_apply(k_levels(parameters), request, topology, why_not);
  }
  static BuildResult build(const Request& request, Rank me, const Topology& topology,
                           const ParameterSet& parameters) {
    return build_vector_levels(k_levels(parameters), request, me, topology);
  }
  static Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
    return vector_levels_cost(k_levels(parameters), request, topology);
  }
};

}  // namespace tutti::algorithm
