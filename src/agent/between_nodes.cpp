#include "agent/between_nodes.hpp"

#include <array>
#include <string>
#include <string_view>

#include "algorithm/catalogue.hpp"

namespace tutti::agent {

namespace {

using algorithm::Collective;

/// The preferred algorithm first, and one that serves everything last.
std::array<std::string_view, 2> algorithms_for(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return {"dissemination", "tree"};
    case Collective::bcast:
      return {"knomial", "linear"};
    case Collective::reduce:
      return {"knomial", "chain"};
    case Collective::allreduce:
      return {"recursive_doubling", "reduce_bcast"};
    case Collective::reduce_scatter:
      return {"recursive_halving", "pairwise"};
    case Collective::allgatherv:
      return {"bruck", "ring"};
    case Collective::gatherv:
    case Collective::scatterv:
      return {"binomial", "linear"};
    default:
      return {"linear", "pairwise"};  // alltoallv
  }
}

}  // namespace

algorithm::Choice choose_between_nodes(const algorithm::Request& request, const topology::Topology& nodes) {
  const auto names = algorithms_for(request.collective);
  algorithm::Choice choice;
  for (const std::string_view name : names) {
    choice.algorithm = algorithm::find(request.collective, name);
    choice.parameters = default_parameters(*choice.algorithm);
    std::string why_not;
    if (choice.algorithm->applies(request, nodes, choice.parameters, &why_not)) break;
  }
  return choice;
}

}  // namespace tutti::agent
