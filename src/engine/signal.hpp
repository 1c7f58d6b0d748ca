#pragma once
// Something that happens once, and that somebody waits for: a job's end.

#include <atomic>
#include <cstdint>

#include "engine/wait_policy.hpp"

namespace tutti::engine {

/// Set by one thread, awaited by any number. Setting it while nobody sleeps is one exchange: no system call,
/// no lock.
class Signal {
 public:
  /// What was written before is visible to whoever sees the signal set. The object may be gone as soon as
  /// somebody can see that: set() touches it no more.
  void set();
  bool is_set() const { return state_.load(std::memory_order_acquire) == k_set; }
  /// For the next time. Nobody waits.
  void reset() { state_.store(k_unset, std::memory_order_relaxed); }

  /// Returns when the signal is set. `spin` and `yield` poll; `sleep` sleeps after a few polls and is woken
  /// at once; `automatic` too, after a few microseconds.
  void wait(WaitPolicy policy);

 private:
  void sleep();

  static constexpr uint32_t k_unset = 0, k_set = 1, k_awaited = 2;  // by somebody who sleeps

  std::atomic<uint32_t> state_{k_unset};
};

}  // namespace tutti::engine
