#pragma once
// Detects whether several threads of the program give data to the MPI, under MPI_THREAD_MULTIPLE.
//
// A thread that waits for another thread's pending collective could deadlock: a peer may need a message of the first
// thread before it joins that collective. With a single thread this cannot happen, because that thread would have
// waited for the data of the collective itself.

#include <atomic>
#include <utility>

#include "base/short_way.hpp"

namespace tutti::mpi {

/// Any thread, except watch().
class MultithreadedUse {
 public:
  void watch() { watches_.set(true); }
  /// True: calls have to be noted.
  bool is_watching() const { return watches_.is_there(); }
  bool detected() const { return detected_.load(std::memory_order_relaxed); }

  /// Notes that this thread gives data to the MPI.
  void note() {
    thread_local bool is_known = false;
    if (std::exchange(is_known, true) || count_.fetch_add(1, std::memory_order_relaxed) == 0) return;
    detected_.store(true, std::memory_order_relaxed);
    watches_.set(false);
  }

 private:
  std::atomic<bool> detected_{false};
  std::atomic<int> count_{0};
  base::ShortWay::Reason watches_;
};

}  // namespace tutti::mpi
