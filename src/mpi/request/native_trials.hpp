#pragma once
// Nonblocking calls that run-time selection has given to the native MPI to see what it costs: their requests
// are the MPI's own, so the completion calls tell when they have completed.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "dispatch/call_site.hpp"
#include "dispatch/services.hpp"
#include "select/tuner.hpp"

namespace tutti::mpi {

/// What a nonblocking call costs is all from its start to its completion.
struct TrialTimes {
  uint64_t started_ns = 0;
  uint64_t returned_ns = 0;
  uint64_t awaited_ns = 0;  // a call began to wait for it; 0: none did

  select::Sample sample(uint64_t completed_ns) const;
};

/// Any thread. Few at a time: a round has at most 31 trials.
class NativeTrials {
 public:
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  /// The call has just returned. The communicator stays until the trial ends.
  void add(MPI_Request request, dispatch::Held& communicator, dispatch::CallSite& site,
           const select::Turn& turn, uint64_t started_ns);

  /// Lets those go that have not completed.
  void forget();

  /// Around a completion call: finds the trials that it completes.
  class Watch {
   public:
    /// `trials` outlives this; nullptr: there are none.
    Watch(NativeTrials* trials, int count, const MPI_Request* requests, bool waits);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    NativeTrials* trials_;
    const MPI_Request* requests_;
    std::vector<std::pair<int, MPI_Request>> watched_;  // places in the array, and what is there
  };

 private:
  struct Trial {
    MPI_Request request = MPI_REQUEST_NULL;
    dispatch::Held* communicator = nullptr;
    dispatch::CallSite* site = nullptr;
    select::Turn turn;
    TrialTimes times;
  };
  bool note_wait(MPI_Request request, bool waits);
  void completed(MPI_Request request);

  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::vector<Trial> trials_;
};

}  // namespace tutti::mpi
