#pragma once
// One collective, called again and again by ranks that come when a pattern says: what an algorithm costs on a machine.

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

/// Every call starts with everything at rest, the ranks late as the pattern says.
struct Experiment {
  algorithm::UniformCall call;
  /// With leader policy `agent`, what the agents do among themselves; without an algorithm they choose.
  algorithm::Choice choice;
  arrival::Leader leader = arrival::Leader::fixed;
  arrival::Pattern arrivals;
  uint64_t seed = 1;
  uint32_t calls = 1;
};

/// In nanoseconds, over all calls.
struct Figures {
  double mean_ns = 0;        // inside the call, mean over ranks
  double slowest_ns = 0;     // inside the call, greatest mean of a rank (paper 000, Definition 2)
  double after_last_ns = 0;  // from the last arrival to the last exit, mean
  double whole_ns = 0;       // from the first arrival to the last exit, mean
  Counters counters;         // sums
};

/// Error: invalid_argument or not_supported, one line: what cannot be (an algorithm that does not apply, a pattern for
/// other ranks); otherwise as execute(). `topology`: of the ranks; `links`: of the nodes, or nullptr.
base::Result<Figures> measure(const Experiment& experiment, const topology::Topology& topology,
                              const Machine& machine, const interconnect::Topology* links = nullptr,
                              const AskToStop& stops = {});

/// One call, ready to be made again and again by ranks that come when they are told to.
class PreparedCall {
 public:
  /// `experiment`: its arrivals and calls do not matter. Errors: as measure().
  static base::Result<PreparedCall> make(const Experiment& experiment, const topology::Topology& topology);
  PreparedCall(PreparedCall&&) noexcept;
  PreparedCall& operator=(PreparedCall&&) noexcept;
  ~PreparedCall();

  /// `arrival_ps`: by rank. The ends are those of the ranks, and then of agents. Errors: as execute().
  base::Result<Outcome> run(std::span<const uint64_t> arrival_ps, const Costs& costs,
                            const interconnect::Topology* links = nullptr, const AskToStop& stops = {});

 private:
  struct Parts;
  explicit PreparedCall(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tutti::simulate
