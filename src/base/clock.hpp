#pragma once
// Time of this process, for durations: never goes back, starts anywhere. No system call (vDSO).

#include <chrono>
#include <cstdint>

namespace tutti::base {

inline uint64_t monotonic_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace tutti::base
