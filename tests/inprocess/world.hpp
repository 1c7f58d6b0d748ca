#pragma once
// Carries out one situation: ranks as threads, over loopback.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "engine/plan.hpp"
#include "tests/inprocess/reference.hpp"
#include "tests/support/transport/fault_endpoint.hpp"
#include "tests/support/transport/loopback.hpp"
#include "topology/topology.hpp"

namespace tutti::test {

/// Input and output of some operations get their addresses late.
struct LateBinding {
  uint64_t seed = 1;  // chooses which, on which ranks, and after how many rounds of progress
  uint32_t max_rounds = 60;
};

struct RunOptions {
  transport::LoopbackLimits fabric{};
  /// Every rank gets them, with a seed of its own.
  std::optional<transport::Faults> faults;
  /// Only this rank's transfers fail; -1: every rank's do, where `faults` says so.
  schedule::Rank failing_rank = -1;
  std::optional<LateBinding> late;
  /// Operations that follow each other without a barrier, each on memory of its own.
  size_t rounds = 2;
  /// Starts all rounds before it waits for the first.
  bool overlaps = false;
};

struct RunResult {
  std::vector<base::Status> statuses;  // by rank: the first that was not ok, of all rounds
  std::vector<std::vector<std::vector<std::byte>>> outputs;  // [round][rank]
  bool timed_out = false;
  size_t left_behind = 0;  // messages and receives that never met
};

/// Starts plans[r] on rank r, `rounds` times. No rank spins: tests run on few cores.
RunResult run_ranks(std::span<const std::shared_ptr<const engine::Plan>> plans,
                    const topology::Topology& topology, std::span<const RankMemory> memory,
                    const engine::Reducer* reducer, const RunOptions& options);

}  // namespace tutti::test
