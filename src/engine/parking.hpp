#pragma once
// Lets a thread sleep while it has no work. Verified by tests/engine/models/hand_over.pml.

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace tutti::engine {

/// One thread parks here; any thread wakes it. No wake-up is lost if both use this order:
///
///   parking thread:  prepare(); if (there is work) cancel(); else park();
///   waking thread:   make work visible (sequentially consistent); wake();
///
/// Waking a thread that is awake costs one load: no lock, no system call.
class Parking {
 public:
  /// Declares that this thread is about to sleep.
  void prepare() { state_.store(k_asleep, std::memory_order_seq_cst); }
  /// Undoes prepare() because there was work.
  void cancel() { state_.store(k_awake, std::memory_order_relaxed); }

  /// After prepare(): sleeps until wake(), which may have been called already.
  void park() {
    while (state_.load(std::memory_order_acquire) == k_asleep) base::futex_wait(state_, k_asleep);
  }
  /// After prepare(): sleeps until wake(), at most about `timeout_ns`. True if woken.
  bool park_for(uint64_t timeout_ns) {
    if (state_.load(std::memory_order_acquire) == k_asleep) base::futex_wait(state_, k_asleep, timeout_ns);
    return state_.exchange(k_awake, std::memory_order_acquire) == k_awake;
  }

  /// After prepare(), for a thread that sleeps in `sleep()` instead of here. That sleep ends by itself, or
  /// the caller of wake() ends it. True if the thread was woken.
  template <class Sleep>
  bool park_in(Sleep&& sleep) {
    uint32_t state = k_asleep;
    if (state_.compare_exchange_strong(state, k_asleep_elsewhere, std::memory_order_acq_rel)) sleep();
    return state_.exchange(k_awake, std::memory_order_acquire) == k_awake;
  }

  /// True: the thread sleeps in park_in(), or is about to; the caller must end that sleep.
  [[nodiscard]] bool wake() {
    if (state_.load(std::memory_order_seq_cst) == k_awake) return false;
    const uint32_t state = state_.exchange(k_awake, std::memory_order_acq_rel);
    if (state == k_asleep) base::futex_wake(&state_, 1);
    return state == k_asleep_elsewhere;
  }

 private:
  static constexpr uint32_t k_awake = 0, k_asleep = 1, k_asleep_elsewhere = 2;

  alignas(64) std::atomic<uint32_t> state_{k_awake};
};

}  // namespace tutti::engine
