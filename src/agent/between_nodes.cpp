#include "agent/between_nodes.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "agent/layout.hpp"
#include "algorithm/catalogue.hpp"

namespace tutti::agent {

namespace {

using algorithm::Collective;

/// The preferred algorithm first; the last one applies to every request.
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

/// The blocks of nodes have different sizes.
algorithm::Collective between_nodes(Collective collective) {
  switch (form_of(collective)) {
    case Collective::reduce_scatter_block:
      return Collective::reduce_scatter;
    case Collective::allgather:
      return Collective::allgatherv;
    case Collective::gather:
      return Collective::gatherv;
    case Collective::scatter:
      return Collective::scatterv;
    case Collective::alltoall:
      return Collective::alltoallv;
    default:
      return collective;
  }
}

void prescribe(const algorithm::Choice& choice, Description* description) {
  const auto all = algorithm::catalogue();
  const auto at = std::ranges::find(all, choice.algorithm);
  if (at == all.end()) return;
  description->algorithm = static_cast<uint32_t>(at - all.begin()) + 1;
  description->parameters = choice.parameters;
}

std::optional<algorithm::Choice> prescribed(const Description& description) {
  if (description.algorithm == 0) return std::nullopt;
  return algorithm::Choice{algorithm::catalogue()[description.algorithm - 1], description.parameters};
}

algorithm::Choice choose_between_nodes(const algorithm::Request& request, const topology::Topology& nodes,
                                       const Description& description) {
  if (const auto wanted = prescribed(description)) {
    std::string why_not;
    if (wanted->algorithm->applies(request, nodes, wanted->parameters, &why_not)) return *wanted;
  }
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
