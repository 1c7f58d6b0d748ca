#pragma once
// Which threads of the program give data to the MPI, under MPI_THREAD_MULTIPLE.
//
// A thread that waited for what another one has under way might wait for ever: a peer may need its message before it
// joins that collective. With one such thread that cannot be, because it would have waited for the data itself.

#include <atomic>
#include <utility>

#include "base/short_way.hpp"

namespace tutti::mpi {

/// Any thread, but for watch().
class DataThreads {
 public:
  void watch() { watches_.set(true); }
  /// note() may have something to find out.
  bool is_watching() const { return watches_.is_there(); }
  bool are_several() const { return are_several_.load(std::memory_order_relaxed); }

  /// This thread gives data to the MPI.
  void note() {
    thread_local bool is_known = false;
    if (std::exchange(is_known, true) || count_.fetch_add(1, std::memory_order_relaxed) == 0) return;
    are_several_.store(true, std::memory_order_relaxed);
    watches_.set(false);
  }

 private:
  std::atomic<bool> are_several_{false};
  std::atomic<int> count_{0};
  base::ShortWay::Reason watches_;
};

}  // namespace tutti::mpi
