#include "command/simulate/table.hpp"

#include <memory>
#include <utility>

#include "interconnect/topology.hpp"
#include "topology/topology.hpp"

namespace tutti::command {

using base::Result;
using base::Status;

namespace {

Result<std::unique_ptr<interconnect::Topology>> links_of(const SimulationTable& table) {
  if (table.machine.topology == "crossbar") return std::unique_ptr<interconnect::Topology>();
  return interconnect::make_topology(table.machine.topology, table.nodes);
}

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

Status fill(SimulationTable& table, const simulate::Interruption& interruption,
            const std::function<void(uint64_t)>& report) {
  const auto ranks = static_cast<schedule::Rank>(table.nodes * table.ranks_per_node);
  const auto topology = topology::Topology::blocked(ranks, static_cast<schedule::Rank>(table.ranks_per_node));
  const auto links = links_of(table);
  if (!links) return links.status();
  for (const uint64_t bytes : table.sizes)
    for (const algorithm::Choice& choice : table.algorithms)
      for (const arrival::Leader leader : table.leaders) {
        SimulationCell cell{.bytes = bytes, .choice = choice, .leader = leader};
        auto figures = simulate::measure(experiment_of(table, cell), topology, table.machine,
                                         links.value().get(), &interruption);
        if (interruption.is_wanted()) return {};
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
