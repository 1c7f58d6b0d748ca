#pragma once
// Executes the schedules of all actors in virtual time (docs/simulation.md has the rules). Deterministic: the same cast
// and costs give the same times on every machine.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "interconnect/topology.hpp"
#include "simulate/machine.hpp"
#include "simulate/shape.hpp"

namespace tutti::simulate {

/// Who takes part, where, when they come, and what they then do. Asked in the order of virtual time.
class Cast {
 public:
  virtual ~Cast() = default;
  virtual uint32_t actor_count() const = 0;
  virtual uint32_t node_count() const = 0;
  virtual uint32_t node_of(Actor actor) const = 0;
  virtual uint64_t arrival_ps(Actor actor) const = 0;
  /// What `actor`, who has come, is to do; the shape outlives the execution.
  virtual base::Result<const Shape*> shape_of(Actor actor) = 0;
  /// Who leads the node now, or k_none: nobody of it has come.
  virtual Actor leader_of(uint32_t node) const = 0;
};

struct Counters {
  uint64_t events = 0, tasks = 0;
  uint64_t messages = 0, bytes = 0;              // between nodes
  uint64_t local_messages = 0, local_bytes = 0;  // inside nodes
  uint64_t global_bytes = 0;                     // over cables that Topology::is_global(), each time
  bool operator==(const Counters&) const = default;
};

struct Outcome {
  std::vector<uint64_t> ends_ps;  // when each actor has done everything
  Counters counters;
};

/// Asked now and then, by the thread that executes, whether to stop; empty: never.
using AskToStop = std::function<bool()>;

/// `topology`: of the nodes, or nullptr: a crossbar. Errors: those of the cast; internal for schedules that do not fit
/// together (a message without a receive, or longer than it), wait for each other, or last longer than virtual time;
/// not_supported where `stops` says so.
base::Result<Outcome> execute(Cast& cast, const Costs& costs,
                              const interconnect::Topology* topology = nullptr, const AskToStop& stops = {});

}  // namespace tutti::simulate
