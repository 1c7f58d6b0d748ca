#include "simulate/recorded_call.hpp"

#include "algorithm/catalogue.hpp"
#include "simulate/collective.hpp"

namespace tutti::simulate {

using algorithm::Choice;
using base::Result;
using base::Status;
using topology::Topology;

namespace {

/// Whether the algorithm is for general use.
bool is_general(const algorithm::Algorithm& row) {
  return !row.is_for_late_rank && !row.is_for_early_return && !row.is_for_large_network;
}

bool applies(const algorithm::UniformCall& call, const Choice& choice, const Topology& topology) {
  std::string why_not;
  return choice.algorithm->applies(algorithm::request_of(call, call.root), topology, choice.parameters,
                                   &why_not);
}

Result<Choice> fastest(const algorithm::UniformCall& call, const Topology& topology, const Machine& machine,
                       const interconnect::NetworkTopology* links) {
  Choice best;
  double least_ns = 0;
  for (const algorithm::Algorithm* row : algorithm::catalogue()) {
    if (row->collective != call.collective || !is_general(*row)) continue;
    const Choice choice{row, algorithm::default_parameters(*row)};
    const auto figures = measure({.call = call, .choice = choice}, topology, machine, links);
    if (!figures && figures.status().code() != base::Code::not_supported) return figures.status();
    if (!figures || (best.algorithm != nullptr && figures->whole_ns >= least_ns)) continue;
    best = choice;
    least_ns = figures->whole_ns;
  }
  if (best.algorithm == nullptr) return Status::not_supported("no algorithm applies to a recorded call");
  return best;
}

}  // namespace

algorithm::UniformCall uniform_call(const RecordedCall& call, schedule::Rank ranks) {
  return {.collective = call.collective, .rank_count = ranks, .root = call.root, .bytes = call.bytes};
}

Result<Choice> choice_again(const RecordedCall& call, const std::optional<Choice>& wanted,
                            const Topology& topology, const Machine& machine,
                            const interconnect::NetworkTopology* links) {
  const algorithm::UniformCall again = uniform_call(call, topology.rank_count());
  if (wanted && applies(again, *wanted, topology)) return *wanted;
  if (const auto served = algorithm::parse_choice(call.collective, call.choice);
      served && applies(again, *served, topology))
    return *served;
  return fastest(again, topology, machine, links);
}

}  // namespace tutti::simulate
