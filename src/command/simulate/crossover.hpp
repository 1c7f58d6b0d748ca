#pragma once
// Derives rules from a simulation: the fastest algorithm for each size.

#include <vector>

#include "base/status.hpp"
#include "command/simulate/table.hpp"
#include "select/rules.hpp"

namespace tutti::command {

/// One rule for each range of sizes with the same winner: the smallest mean time inside the call for skewed arrivals,
/// otherwise the smallest total time. A rule applies from its first size up to the next rule, the last one up to the
/// largest size, and only to this number of nodes and ranks. Error: invalid_argument: a leader policy that rules cannot
/// express.
base::Result<std::vector<select::Rule>> crossovers(const SimulationTable& table);

}  // namespace tutti::command
