#pragma once
// A collective on one vector as three of the same kind (paper 002, section 4.1.2): of its head and its tail, which come
// first, and of what lies between. For calls that return before their data is there.

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// The algorithms of the parts, each of which takes a vector of any length.
struct EdgesThenBody {
  const Algorithm& edges;
  const Algorithm& body;

  base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                               const ParameterSet& of_body) const;
  /// An upper bound.
  Cost cost(const Request& request, const Topology& topology, const ParameterSet& of_body) const;
};

}  // namespace tutti::algorithm
