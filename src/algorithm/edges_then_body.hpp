#pragma once
// Splits a collective on one vector into three of the same kind (paper 002, section 4.1.2): on the head and the tail,
// which come first, and on the body between them. For early return.

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// The algorithms of the parts; each accepts a vector of any length.
struct EdgesAndBody {
  const Algorithm& edges;
  const Algorithm& body;
};
base::Result<Schedule> build_edges_then_body(EdgesAndBody rows, const Request& request, Rank me,
                                             const Topology& topology, const ParameterSet& of_body);
/// An upper bound.
Cost edges_then_body_cost(EdgesAndBody rows, const Request& request, const Topology& topology,
                          const ParameterSet& of_body);

/// Functions of a catalogue entry; its parameters are those of the body.
template <const Algorithm& k_edges, const Algorithm& k_body>
struct EdgesThenBody {
  static bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
                      std::string* why_not) {
    return k_body.applies(request, topology, parameters, why_not);
  }
  static base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                                      const ParameterSet& parameters) {
    return build_edges_then_body({k_edges, k_body}, request, me, topology, parameters);
  }
  static Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
    return edges_then_body_cost({k_edges, k_body}, request, topology, parameters);
  }
};

}  // namespace tutti::algorithm
