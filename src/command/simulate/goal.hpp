#pragma once
// A GOAL program in virtual time, from the command line.

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
