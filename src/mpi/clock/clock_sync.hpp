#pragma once
// Compares the clocks of the machines periodically while the program runs, for the record of a long run.

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

/// The first rank of each machine has a thread that sleeps until a comparison is due by the common clock, so that all
/// machines begin it together. All functions except samples() are called by the program's thread.
class ClockSync {
 public:
  ClockSync() = default;
  ~ClockSync();
  ClockSync(const ClockSync&) = delete;
  ClockSync& operator=(const ClockSync&) = delete;

  /// Collective over `world`. `first`: the latest sample of this machine's clock. Error, on all ranks: the MPI may not
  /// be called by another thread, or a thread cannot be started.
  base::Status start(MPI_Comm world, std::span<const int32_t> machine_of_rank, uint64_t every_ns,
                     const record::ClockSample& first);
  /// Collective over `world`: all machines complete the comparisons that any machine has begun. The other ranks of a
  /// machine get its samples.
  void stop(MPI_Comm world, std::span<const int32_t> machine_of_rank);
  /// Called if the process ends without finalizing MPI. A pending comparison is abandoned after this time.
  void abandon(uint64_t within_ns);

  /// The samples so far. Any thread.
  std::vector<record::ClockSample> samples() const;

 private:
  static void* run(void* self);
  uint64_t hold();
  /// Collective: each machine's first rank sends its samples to the machine's other ranks.
  void share_samples(MPI_Comm world, std::span<const int32_t> machine_of_rank);
  /// Waits until comparison `number` has to begin. False: no machine has begun it, and it will not take place.
  bool await_next(uint64_t number);
  bool is_due(uint64_t number) const;
  void compare();
  void nap(uint64_t most_ns);
  void change();

  MPI_Comm leaders_ = MPI_COMM_NULL;  // the first ranks of the machines; MPI_COMM_NULL: this rank is not one
  uint64_t every_ns_ = 0;
  int64_t origin_ns_ = 0;  // on the common clock: comparison n is due n * every_ns_ later
  pthread_t thread_{};
  bool has_thread_ = false;

  mutable std::mutex mutex_;
  std::vector<record::ClockSample> samples_;  // the first is start()'s
  uint64_t begun_ = 0;                        // number of comparisons that have begun
  bool is_held_ = true;                       // no comparison may begin: threads are missing, or the run ends
  std::optional<uint64_t> last_;              // number of the last comparison
  std::atomic<bool> is_abandoned_{false};
  std::atomic<uint32_t> changes_{0};  // futex whose change ends a nap
};

}  // namespace tutti::mpi
