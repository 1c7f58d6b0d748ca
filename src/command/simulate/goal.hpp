#pragma once
// tutti simulate --goal: executes a GOAL program in virtual time.

#include <string>

#include "simulate/executor.hpp"

namespace tutti::command {

struct GoalOptions {
  std::string file, machine, topology, json;
  uint32_t ranks_per_node = 1;
};

/// Returns the exit status.
int simulate_goal(const GoalOptions& options);

}  // namespace tutti::command
