#pragma once
// A one-time event that threads wait for: the end of a job.

#include <atomic>
#include <cstdint>

#include "engine/wait_policy.hpp"

namespace tutti::engine {

/// Set by one thread, awaited by any number. Setting it while no thread sleeps costs one atomic exchange: no
/// system call, no lock.
class Signal {
 public:
  /// Earlier writes are visible to any thread that sees the signal set. Such a thread may destroy the object
  /// immediately: set() does not access it any more.
  void set();
  bool is_set() const { return state_.load(std::memory_order_acquire) == k_set; }
  /// Prepares for the next event. No thread may be waiting.
  void reset() { state_.store(k_unset, std::memory_order_relaxed); }

  /// Returns when the signal is set. `spin` and `yield` poll; `sleep` sleeps after a few polls and is woken
  /// immediately; `automatic` likewise, but polls longer if the thread shares no processing unit.
  void wait(WaitPolicy policy, base::CpuShare share = base::CpuShare::own);

 private:
  void sleep();

  static constexpr uint32_t k_unset = 0, k_set = 1, k_awaited = 2;  // awaited: a thread sleeps

  std::atomic<uint32_t> state_{k_unset};
};

}  // namespace tutti::engine
