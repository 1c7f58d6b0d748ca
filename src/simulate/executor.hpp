#pragma once
// Executes the schedules of all actors in virtual time (rules: docs/simulation.md). Deterministic: the same cast and
// costs give the same times on every machine.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "interconnect/network_topology.hpp"
#include "simulate/machine.hpp"
#include "simulate/shape.hpp"

namespace tutti::simulate {

/// The actors with their nodes, arrival times and schedules. Queried in the order of virtual time.
class Cast {
 public:
  virtual ~Cast() = default;
  virtual uint32_t actor_count() const = 0;
  virtual uint32_t node_count() const = 0;
  virtual uint32_t node_of(Actor actor) const = 0;
  virtual uint64_t arrival_ps(Actor actor) const = 0;
  /// The schedule of `actor`, which has arrived; the shape must outlive the execution.
  virtual base::Result<const Shape*> shape_of(Actor actor) = 0;
  /// The current leader of the node, or k_none: no actor of it has arrived.
  virtual Actor leader_of(uint32_t node) const = 0;
};

struct Counters {
  uint64_t events = 0, tasks = 0;
  uint64_t messages = 0, bytes = 0;              // between nodes
  uint64_t local_messages = 0, local_bytes = 0;  // inside nodes
  uint64_t global_bytes = 0;                     // over cables with NetworkTopology::is_global(), per cable
  bool operator==(const Counters&) const = default;
};

struct SimulationOutcome {
  std::vector<uint64_t> ends_ps;  // end of the last task, by actor
  Counters counters;
};

/// Called from time to time by the executing thread; true stops the execution. Empty: never.
using AskToStop = std::function<bool()>;

/// `topology`: between the nodes, or nullptr: a crossbar. Errors: those of the cast; internal for inconsistent
/// schedules (a message without a receive, or longer than it; a deadlock) and for an overflow of virtual time;
/// not_supported if `stops` returns true.
base::Result<SimulationOutcome> execute(Cast& cast, const Costs& costs,
                                        const interconnect::NetworkTopology* topology = nullptr,
                                        const AskToStop& stops = {});

}  // namespace tutti::simulate
