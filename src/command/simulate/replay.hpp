#pragma once
// tutti simulate --replay: replays a recorded run on another machine, with other algorithms, or without lateness.

#include <string>
#include <vector>

namespace tutti::command {

struct ReplayOptions {
  std::string folder, machine, topology, json, goal;
  std::vector<std::string> algorithms;  // "bcast=chain:segment=4K"
  std::string leader = "fixed";
  bool without_lateness = false;
  uint32_t times = 1;
};

/// Returns the exit status.
int replay_run(const ReplayOptions& options);

}  // namespace tutti::command
