#pragma once
// Which algorithm wins where, as rules.

#include <vector>

#include "base/status.hpp"
#include "command/simulate/table.hpp"
#include "select/rules.hpp"

namespace tutti::command {

/// One rule for each run of sizes with the same winner: the smallest mean time inside the call where ranks come late,
/// the smallest whole time where they do not. A rule holds from its first size up to the next rule, the last one up to
/// the largest size; for this number of nodes and ranks alone. Error: invalid_argument: a leader that no rule can ask
/// for.
base::Result<std::vector<select::Rule>> crossovers(const SimulationTable& table);

}  // namespace tutti::command
