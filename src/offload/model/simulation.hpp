#pragma once
// Simulates a whole machine cycle by cycle: nodes of one kind in a network, from the first arrival to the
// last completion. Idle cycles and idle nodes are skipped; the result is the same as with stepping everything
// (tests/unit/offload/simulation_test.cpp). A simulation belongs to one thread; several may run at once.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "offload/model/parameters.hpp"
#include "offload/model/workload.hpp"
#include "offload/network/network.hpp"
#include "offload/nic/ports.hpp"

namespace tutti::offload::model {

struct RunOptions {
  bool steps_everything = false;  // no node and no cycle is skipped
  /// Number of cycles after which a run is aborted; 0: no limit while events remain.
  uint64_t most_cycles = 0;
  /// Creates an engine other than the C++ model, one per node; null: the C++ model. May keep a reference only
  /// to the configuration, which outlives the engine.
  std::function<std::unique_ptr<nic::EngineModel>(const nic::EngineConfiguration&)> make_engine;
  /// Called repeatedly with the number of collectives done so far by all nodes, and the cycle; false stops
  /// the run.
  std::function<bool(uint64_t done, uint64_t cycle)> report;
};

struct RunResult {
  double ns_per_cycle = 1;
  std::string topology;
  std::vector<CollectiveRecord> records;  // one per collective; times in cycles
  nic::EngineCounters engines;            // sums over all nodes; damq_peak is the maximum
  network::NetworkCounters network;
  uint64_t cycles = 0;                // simulated, until the last completion
  uint64_t node_steps = 0;            // steps of nodes that were executed
  uint64_t cpu_cycles = 0;            // of all hosts, spent on collectives
  uint64_t early = 0, differing = 0;  // violations; nonzero values show an error in the model

  /// From the last arrival to the last completion, in nanoseconds.
  double latency_ns(size_t which) const {
    return static_cast<double>(records[which].last_completion - records[which].last_arrival) * ns_per_cycle;
  }
  double mean_latency_ns() const;
};

/// Simulates a workload. Errors: invalid_argument if check() rejects it or the topology has too few nodes;
/// internal when the run hangs, an engine rejects a descriptor, or `most_cycles` have passed; not_found when
/// `report` stopped the run.
base::Result<RunResult> simulate(const Parameters& parameters, const Workload& workload,
                                 const RunOptions& options = {});

}  // namespace tutti::offload::model
