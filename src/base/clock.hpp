#pragma once
// Monotonic time of this process, for durations, with an arbitrary origin. No system call (vDSO).

#include <chrono>
#include <cstdint>

namespace tutti::base {

inline uint64_t monotonic_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace tutti::base
