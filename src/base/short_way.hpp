#pragma once
// Global flag by which a call finds out that nothing in the process requires its attention.

#include <atomic>
#include <cstdint>

namespace tutti::base {

/// One load covers all reasons, instead of one load for each: cache misses matter in short calls. Any thread.
class ShortWay {
 public:
  static bool is_open() { return reasons_.load(std::memory_order_acquire) == 0; }

  /// A condition that calls must check while it is set. Set before other threads can see its cause, and reset
  /// afterwards.
  class Reason {
   public:
    Reason() = default;
    ~Reason() { set(false); }
    Reason(const Reason&) = delete;
    Reason& operator=(const Reason&) = delete;

    void set(bool is_there) {
      if (is_there_.exchange(is_there, std::memory_order_acq_rel) != is_there)
        reasons_.fetch_add(is_there ? 1 : UINT32_MAX, std::memory_order_acq_rel);
    }
    /// One load.
    bool is_there() const { return is_there_.load(std::memory_order_acquire); }

   private:
    std::atomic<bool> is_there_{false};
  };

 private:
  static inline constinit std::atomic<uint32_t> reasons_{0};
};

}  // namespace tutti::base
