#pragma once
// Compares the clocks of the machines again and again while the program runs, for the record of a long run.

#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "record/rank_file.hpp"

namespace tutti::mpi {

/// The first rank of each machine has a thread that sleeps until the common clock says that a comparison is due, so
/// that all machines begin it alike. All functions but samples() are the program's thread's.
class ClockKeeper {
 public:
  ClockKeeper() = default;
  ~ClockKeeper();
  ClockKeeper(const ClockKeeper&) = delete;
  ClockKeeper& operator=(const ClockKeeper&) = delete;

  /// Collective over `world`. `first`: what is known of this machine's clock. Error, the same on all ranks: the MPI may
  /// not be called by another thread, or there can be none.
  base::Status start(MPI_Comm world, std::span<const int32_t> machine_of_rank, uint64_t every_ns,
                     const record::ClockSample& first);
  /// Collective over `world`: comparisons that some machine has begun end on all. The machine's other ranks get its
  /// samples, too.
  void stop(MPI_Comm world, std::span<const int32_t> machine_of_rank);
  /// Where the process ends without finalizing MPI. A comparison under way is left behind after this time.
  void abandon(uint64_t within_ns);

  /// What has been found up to now. Any thread.
  std::vector<record::ClockSample> samples() const;

 private:
  static void* run(void* self);
  uint64_t hold();
  /// Collective.
  void share_samples(MPI_Comm world, std::span<const int32_t> machine_of_rank);
  /// False: there is none that the others have begun, either.
  bool await_next(uint64_t number);
  bool is_due(uint64_t number) const;
  void compare();
  void nap(uint64_t most_ns);
  void change();

  MPI_Comm leaders_ = MPI_COMM_NULL;  // the first ranks of the machines; MPI_COMM_NULL: this is none
  uint64_t every_ns_ = 0;
  int64_t origin_ns_ = 0;  // of the common clock: when the first one would have been due
  pthread_t thread_{};
  bool has_thread_ = false;

  mutable std::mutex mutex_;
  std::vector<record::ClockSample> samples_;  // the first is start()'s
  uint64_t begun_ = 0;                        // comparisons
  bool is_held_ = true;           // none begins: not all threads are there yet, or the run is at its end
  std::optional<uint64_t> last_;  // the number of the last one
  std::atomic<bool> is_abandoned_{false};
  std::atomic<uint32_t> changes_{0};  // what a nap ends at
};

}  // namespace tutti::mpi
