#pragma once
// Offsets of the machines' clocks from that of rank 0's machine, measured by round-trip messages (Cristian, Distributed
// Computing 3, 1989) along a binomial tree of machines.

#include <mpi.h>

#include <cstdint>
#include <span>

#include "base/clock.hpp"
#include "select/arrivals.hpp"

namespace tutti::mpi {

class GlobalClock {
 public:
  using Now = uint64_t (*)();

  GlobalClock() = default;
  /// Collective over `world`. Sends some messages if there are several machines; takes at most about k_most_ns for each
  /// level of the tree. `now`: this process's clock, in ns.
  GlobalClock(MPI_Comm world, std::span<const int32_t> machine_of_rank, Now now = base::monotonic_ns);

  static constexpr uint64_t k_most_ns = 2'000'000;
  /// Assumed upper bound of the drift between two clocks; 50 parts per million is a bad clock.
  static constexpr uint64_t k_drift_ppm = 50;

  /// Any thread. The error grows with the time since the comparison.
  select::CommonClock get() const;
  /// The measured offset, and the time of the measurement.
  const select::CommonClock& compared() const { return at_start_; }
  uint64_t compared_ns() const { return compared_ns_; }

 private:
  Now now_ = base::monotonic_ns;
  select::CommonClock at_start_;
  uint64_t compared_ns_ = 0;
  bool drifts_ = false;
};

}  // namespace tutti::mpi
