#pragma once
// CPU time of a call on all cores, for any thread that works for it.

#include <ctime>

namespace tutti::bench {

/// User and system time of all threads of this process, in µs.
inline double process_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

}  // namespace tutti::bench
