#pragma once
// The requests of nonblocking and persistent collectives that Tutti serves, by the handles that the program
// holds.

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

/// What completion calls need of a request. Lives as long as it is held.
class PendingRequest {
 public:
  virtual ~PendingRequest() = default;

  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release_hold() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Set while the MPI knows the request to be complete or inactive.
  engine::Signal& end() { return ends_[turn_.load(std::memory_order_relaxed) % 2]; }
  /// When a completion call first began to wait for it; 0: none has.
  uint64_t awaited_ns() const { return awaited_ns_.load(std::memory_order_relaxed); }
  void note_wait();

  /// Can be started again and again.
  virtual bool is_persistent() const { return false; }
  /// Of a persistent request: the native part has been started. What MPI_Start returns.
  virtual int restart() { return MPI_SUCCESS; }
  /// A completion call has waited for its end, which has come.
  virtual void waited() {}
  /// Of a persistent request, when the program frees it: frees the native part, at once or at the end of the
  /// operation.
  virtual void free_native(MPI_Request /*request*/) {}
  /// Of a persistent request that has completed: what went wrong. Once.
  virtual std::optional<Failure> take_failure() { return std::nullopt; }

 protected:
  /// Another operation begins. The end of the one before may be known to the MPI a moment before it is set.
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
  /// Waits for the end of the collective behind a handle, if it is one; true when it was.
  bool wait(MPI_Request handle, ProgressEngine& progress);
  bool contains(MPI_Request handle);
  /// Starts the collective behind a handle, if it is a persistent one. What MPI_Start returns.
  int start(MPI_Request handle);
  /// The program frees a request. A persistent one is forgotten and handed out: the caller frees its native
  /// part and lets it go.
  PendingRequest* take_persistent(MPI_Request handle);
  /// All that the program has not freed are let go.
  void release_persistent();
  /// A persistent request has ended badly.
  void note_failure() { has_failures_.store(true, std::memory_order_relaxed); }
  /// What went wrong with the persistent request behind a handle, which has completed.
  std::optional<Failure> take_failure(MPI_Request handle);
  /// The program has none: the way out of every completion call. One load.
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  struct Hash {
    size_t operator()(MPI_Request handle) const;
  };
  PendingRequest* find_and_hold(MPI_Request handle);

  std::atomic<size_t> count_{0};
  std::atomic<bool> has_failures_{false};  // ever
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PendingRequest*, Hash> by_handle_;
};

}  // namespace tutti::mpi
