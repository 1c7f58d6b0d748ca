#pragma once
// The collectives that have returned before their data is there, for all that has to wait for them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "mpi/request/failure.hpp"

namespace tutti::mpi {

class EarlyCall;
class ProgressEngine;

/// Any thread.
class EarlyCalls {
 public:
  /// None is under way, and none has failed: the way out of every call. One load.
  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

  void insert(EarlyCall* call);
  /// It has ended. A failure is kept until raise_failures().
  void erase(EarlyCall* call, Failure failure);

  /// Waits for those that this memory belongs to. `memory` may be nullptr.
  void wait_for(const void* memory, uint64_t bytes, ProgressEngine& progress);
  void wait_for_all(ProgressEngine& progress);
  /// Tells error handlers of those that have failed. On a thread of the program, inside a call.
  void raise_failures();

 private:
  template <class Concerns>
  void wait_while(Concerns concerns, ProgressEngine& progress);

  std::atomic<size_t> count_{0};  // of both
  std::mutex mutex_;
  std::vector<EarlyCall*> calls_;
  std::vector<Failure> failures_;
};

}  // namespace tutti::mpi
