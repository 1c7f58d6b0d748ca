#include "command/simulate/table.hpp"

#include <utility>

#include "command/output.hpp"
#include "topology/topology.hpp"

namespace tutti::command {

using base::Status;

namespace {

simulate::Experiment experiment_of(const SimulationTable& table, const SimulationCell& cell) {
  return {.call = {.collective = table.collective,
                   .rank_count = static_cast<schedule::Rank>(table.nodes * table.ranks_per_node),
                   .root = table.root,
                   .bytes = cell.bytes,
                   .commutative = table.commutative},
          .choice = cell.choice,
          .leader = cell.leader,
          .arrivals = table.arrivals,
          .seed = table.seed,
          .calls = table.calls};
}

}  // namespace

Status fill(SimulationTable& table, const std::function<void(uint64_t)>& report) {
  const auto ranks = static_cast<schedule::Rank>(table.nodes * table.ranks_per_node);
  const auto topology = topology::Topology::blocked(ranks, static_cast<schedule::Rank>(table.ranks_per_node));
  const auto links = simulate::make_links(table.machine, table.nodes);
  if (!links) return links.status();
  for (const uint64_t bytes : table.sizes)
    for (const algorithm::Choice& choice : table.algorithms)
      for (const arrival::Leader leader : table.leaders) {
        SimulationCell cell{.bytes = bytes, .choice = choice, .leader = leader};
        auto figures = simulate::measure(experiment_of(table, cell), topology, table.machine,
                                         links.value().get(), StopRequest::is_asked);
        if (StopRequest::is_asked()) return {};
        if (!figures && figures.status().code() != base::Code::not_supported) return figures.status();
        if (figures)
          cell.figures = *std::move(figures);
        else
          cell.why_not = figures.status().message();
        table.cells.push_back(std::move(cell));
        report(table.cells.size());
      }
  return {};
}

}  // namespace tutti::command
