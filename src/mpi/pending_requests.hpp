#pragma once
// The requests of nonblocking collectives that Tutti serves, by the handles that the program holds.

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "engine/signal.hpp"

namespace tutti::mpi {

class Drivers;

/// What those who wait for a request need of it. Lives as long as somebody holds it.
class PendingRequest {
 public:
  virtual ~PendingRequest() = default;

  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Set when the MPI knows the request to be complete.
  engine::Signal& end() { return end_; }
  /// When somebody first began to wait for it; 0: nobody has.
  uint64_t awaited_ns() const { return awaited_ns_.load(std::memory_order_relaxed); }
  void note_wait();

 private:
  std::atomic<int> holders_{1};
  std::atomic<uint64_t> awaited_ns_{0};
  engine::Signal end_;
};

/// Any thread.
class PendingRequests {
 public:
  void insert(MPI_Request handle, PendingRequest* request);
  void erase(MPI_Request handle);
  /// Waits for the end of the collective behind a handle, if it is one; true when it was.
  bool wait(MPI_Request handle, Drivers& drivers);
  bool contains(MPI_Request handle);
  /// The program has none: the way out of every completion call. One load.
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  struct Hash {
    size_t operator()(MPI_Request handle) const;
  };

  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PendingRequest*, Hash> by_handle_;
};

}  // namespace tutti::mpi
