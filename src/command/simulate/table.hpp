#pragma once
// The cells of a simulation: sizes × algorithms × leader policies.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulate/collective.hpp"

namespace tutti::command {

struct SimulationCell {
  uint64_t bytes = 0;
  algorithm::Choice choice;
  arrival::Leader leader = arrival::Leader::fixed;
  simulate::Figures figures;
  std::string why_not;  // not empty: `figures` is invalid
};

struct SimulationTable {
  algorithm::Collective collective = algorithm::Collective::bcast;
  std::vector<algorithm::Choice> algorithms;
  std::vector<uint64_t> sizes;
  std::vector<arrival::Leader> leaders;
  uint32_t nodes = 1, ranks_per_node = 1, calls = 1;
  schedule::Rank root = 0;
  uint64_t seed = 1;
  bool commutative = true;
  simulate::Machine machine;
  arrival::Pattern arrivals;
  std::vector<SimulationCell> cells;  // from fill(), ordered by size, algorithm, leader

  uint64_t cell_count() const { return uint64_t{sizes.size()} * algorithms.size() * leaders.size(); }
};

/// Simulates all cells; `report` is called with the number of completed ones. After a StopRequest the rest is omitted.
/// Error: a problem that affects all cells.
base::Status fill(SimulationTable& table, const std::function<void(uint64_t)>& report);

}  // namespace tutti::command
