#pragma once
// Whether a call may go its short way, without a look at what else the process has under way.

#include <atomic>
#include <cstdint>

namespace tutti::base {

/// One load tells every call that there is nothing to look at, instead of one for each thing that there may be: a short
/// call is so short that the cache lines count. Any thread.
class ShortWay {
 public:
  static bool is_open() { return reasons_.load(std::memory_order_acquire) == 0; }

  /// Something that calls have to look at while it is there. Set before others can find it, taken back after.
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
