#pragma once
// Simulates one collective, called repeatedly by ranks that arrive by a pattern, to find the cost of an algorithm.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/uniform_request.hpp"
#include "arrival/broadcast.hpp"
#include "arrival/pattern.hpp"
#include "base/status.hpp"
#include "simulate/executor.hpp"
#include "simulate/machine.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

/// Every call starts without activity on the machine, and the ranks arrive by the pattern.
struct Experiment {
  algorithm::UniformCall call;
  /// With leader policy `agent`: the algorithm between the agents; without one they choose it.
  algorithm::Choice choice;
  arrival::Leader leader = arrival::Leader::fixed;
  arrival::Pattern arrivals;
  uint64_t seed = 1;
  uint32_t calls = 1;
};

/// Results in nanoseconds, over all calls.
struct Figures {
  double mean_ns = 0;        // inside the call, mean over ranks
  double slowest_ns = 0;     // inside the call, largest mean of a rank (paper 000, Definition 2)
  double after_last_ns = 0;  // from the last arrival to the last exit, mean
  double whole_ns = 0;       // from the first arrival to the last exit, mean
  Counters counters;         // sums
};

/// Error: invalid_argument or not_supported, one line: an impossible experiment (an algorithm that does not apply, a
/// pattern for another number of ranks); otherwise as execute(). `topology`: of the ranks; `links`: between the nodes,
/// or nullptr.
base::Result<Figures> measure(const Experiment& experiment, const topology::Topology& topology,
                              const Machine& machine, const interconnect::NetworkTopology* links = nullptr,
                              const AskToStop& stops = {});

/// One call with its schedules, for repeated execution with given arrivals.
class PreparedCall {
 public:
  /// The arrivals and the number of calls in `experiment` are ignored. Errors: as measure().
  static base::Result<PreparedCall> make(const Experiment& experiment, const topology::Topology& topology);
  PreparedCall(PreparedCall&&) noexcept;
  PreparedCall& operator=(PreparedCall&&) noexcept;
  ~PreparedCall();

  /// `arrival_ps`: by rank. The outcome's ends are those of the ranks, then those of the agents. Errors: as execute().
  base::Result<SimulationOutcome> run(std::span<const uint64_t> arrival_ps, const Costs& costs,
                                      const interconnect::NetworkTopology* links = nullptr,
                                      const AskToStop& stops = {});

 private:
  struct Parts;
  explicit PreparedCall(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tutti::simulate
