#pragma once
// The requests of nonblocking and persistent collectives that Tutti serves, by the program's handles.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "engine/signal.hpp"
#include "mpi/request/failure.hpp"

namespace tutti::mpi {

class ProgressEngine;

/// Interface of a request for completion calls. Reference-counted: lives as long as it is held.
class PendingRequest {
 public:
  virtual ~PendingRequest() = default;

  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release_hold() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Set while the request is complete or inactive for the MPI.
  engine::Signal& end() { return ends_[turn_.load(std::memory_order_relaxed) % 2]; }
  /// Time at which a completion call first began to wait for it; 0: none has.
  uint64_t awaited_ns() const { return awaited_ns_.load(std::memory_order_relaxed); }
  void note_wait();

  /// True if it can be started repeatedly.
  virtual bool is_persistent() const { return false; }
  /// For a persistent request whose native part has been started. Returns the return value of MPI_Start.
  virtual int restart() { return MPI_SUCCESS; }
  /// A completion call has waited for the end, which has been reached.
  virtual void waited() {}
  /// For a persistent request that the program frees: frees the native part, at once or at the end of the operation.
  virtual void free_native(MPI_Request /*request*/) {}
  /// For a persistent request that has completed: its failure, which is returned only once.
  virtual std::optional<Failure> take_failure() { return std::nullopt; }

 protected:
  /// Begins another operation. Alternates between two signals, because the MPI may report the end of the previous
  /// operation before its signal is set.
  void begin_operation() {
    const uint32_t turn = turn_.load(std::memory_order_relaxed) + 1;
    ends_[turn % 2].reset();
    turn_.store(turn, std::memory_order_relaxed);
    awaited_ns_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<int> holders_{1};
  std::atomic<uint64_t> awaited_ns_{0};
  std::atomic<uint32_t> turn_{0};
  std::array<engine::Signal, 2> ends_;
};

/// Any thread.
class PendingRequests {
 public:
  void insert(MPI_Request handle, PendingRequest* request);
  void erase(MPI_Request handle);
  /// Waits for the end of the collective of a handle. True if the handle belongs to one.
  bool wait(MPI_Request handle, ProgressEngine& progress);
  bool contains(MPI_Request handle);
  /// Starts the collective of a handle, if it is a persistent one. Returns the return value of MPI_Start.
  int start(MPI_Request handle);
  /// The program frees a request. A persistent one is removed and returned: the caller frees its native part and
  /// releases it.
  PendingRequest* take_persistent(MPI_Request handle);
  /// Releases all persistent requests that the program has not freed.
  void release_persistent();
  /// Notes that an operation of a persistent request has failed.
  void note_failure() { has_failures_.store(true, std::memory_order_relaxed); }
  /// The failure of the persistent request of a handle, which has completed.
  std::optional<Failure> take_failure(MPI_Request handle);
  /// True if there are none: the fast path of every completion call. One load.
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  struct Hash {
    size_t operator()(MPI_Request handle) const;
  };
  PendingRequest* find_and_hold(MPI_Request handle);

  std::atomic<size_t> count_{0};
  std::atomic<bool> has_failures_{false};  // never reset
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PendingRequest*, Hash> by_handle_;
};

}  // namespace tutti::mpi
