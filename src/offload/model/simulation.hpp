#pragma once
// A whole machine, cycle by cycle: nodes of one kind in a network, from the first arrival to the last
// completion. Cycles in which nothing happens, and nodes to which nothing happens, are left out; the result
// is the same as that of stepping everything (tests/unit/offload/simulation_test.cpp). A simulation belongs
// to one thread; several may run at once.

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
  bool steps_everything = false;  // no node and no cycle is left out
  /// Cycles after which a run is given up; 0: as long as something happens.
  uint64_t most_cycles = 0;
  /// Another engine than the C++ model, one per node; null is the model. Keeps nothing but the configuration,
  /// which outlives it.
  std::function<std::unique_ptr<nic::EngineModel>(const nic::EngineConfiguration&)> make_engine;
  /// Called now and then with the collectives done so far, of all nodes, and the cycle; false stops the run.
  std::function<bool(uint64_t done, uint64_t cycle)> report;
};

struct RunResult {
  double ns_per_cycle = 1;
  std::string topology;
  std::vector<CollectiveRecord> records;  // one per collective; times in cycles
  nic::EngineCounters engines;            // of all nodes together; damq_peak is the greatest one
  network::NetworkCounters network;
  uint64_t cycles = 0;                // simulated, until the last completion
  uint64_t node_steps = 0;            // steps of nodes that were really taken
  uint64_t cpu_cycles = 0;            // of all hosts, for collectives
  uint64_t early = 0, differing = 0;  // violations: 0, or the model is wrong

  /// From the last arrival to the last completion, in nanoseconds.
  double latency_ns(size_t which) const {
    return static_cast<double>(records[which].last_completion - records[which].last_arrival) * ns_per_cycle;
  }
  double mean_latency_ns() const;
};

/// Carries a workload out. Errors: invalid_argument for what check() refuses, or a topology without room;
/// internal when the run hangs, an engine refuses a descriptor, or `most_cycles` are over; not_found when
/// `report` has stopped it.
base::Result<RunResult> simulate(const Parameters& parameters, const Workload& workload,
                                 const RunOptions& options = {});

}  // namespace tutti::offload::model
