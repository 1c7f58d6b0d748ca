#pragma once
// Executes a GOAL program in virtual time.

#include "base/status.hpp"
#include "interconnect/network_topology.hpp"
#include "simulate/executor.hpp"
#include "simulate/goal.hpp"
#include "simulate/machine.hpp"

namespace tutti::simulate {

/// All ranks begin at 0; ranks 0 to `ranks_per_node` - 1 are on node 0 and so on. Transfers start as soon as possible,
/// because window and order are rules of Tutti's engine only. All NICs of a node are treated as one. Errors: as
/// execute().
base::Result<SimulationOutcome> run_goal(const GoalProgram& program, uint32_t ranks_per_node,
                                         const Machine& machine,
                                         const interconnect::NetworkTopology* links = nullptr,
                                         const AskToStop& stops = {});

}  // namespace tutti::simulate
