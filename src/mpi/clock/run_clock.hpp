#pragma once
// Comparisons of the clocks of a recorded run's machines: when it begins, periodically, and when it ends.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "mpi/clock/clock_sync.hpp"

namespace tutti::mpi {

/// `comm` is the same communicator in all functions, `machine_of_rank` the machine of each of its ranks.
/// All functions except samples() are called by the program's thread.
class RunClock {
 public:
  /// Collective over `comm`: compares the clocks for the first time.
  void begin(MPI_Comm comm, std::span<const int32_t> machine_of_rank) { compare(comm, machine_of_rank); }
  /// Collective: from now on clocks are compared periodically, if the settings request it. Error, on all ranks: they
  /// are not.
  base::Status keep(const base::Settings& settings, MPI_Comm comm, std::span<const int32_t> machine_of_rank);
  /// Called if the process ends without stop().
  void leave(uint64_t within_ns) { sync_.abandon(within_ns); }
  /// Collective: ends the periodic comparison.
  void stop(MPI_Comm comm, std::span<const int32_t> machine_of_rank) { sync_.stop(comm, machine_of_rank); }
  /// Collective, at the end of the run: compares the clocks again.
  void end(MPI_Comm comm, std::span<const int32_t> machine_of_rank) { compare(comm, machine_of_rank); }

  /// The samples so far, in order of time.
  std::vector<record::ClockSample> samples() const;

 private:
  void compare(MPI_Comm comm, std::span<const int32_t> machine_of_rank);

  std::vector<record::ClockSample> samples_;  // of the beginning and the end of the run
  ClockSync sync_;                            // has those in between, after the first
};

}  // namespace tutti::mpi
