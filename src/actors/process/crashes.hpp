#pragma once
// Makes the job end with the rank number and signal of a crashed rank instead of those of the container.

#include <signal.h>

#include <atomic>
#include <cstdint>

namespace tutti::actors {

struct Crash {
  int rank = 0, signal = 0;  // 0: none
};

/// Call once, before any rank starts.
void install_crash_handlers();
/// Marks this thread as a thread of a rank, with the rank's `actions` for k_crash_signals, in their order.
/// Gives it an alternate signal stack. `is_ending`: if not 0, a fault ends this thread only; nullptr: always
/// the job.
void watch_crashes(int rank, const struct sigaction* actions,
                   const volatile sig_atomic_t* is_ending = nullptr);
/// Call before the thread ends.
void unwatch_crashes();
/// Futex rung when a rank has crashed, and for other events.
std::atomic<uint32_t>& crash_bell();
Crash first_crash();
/// Ends this process with the signal.
[[noreturn]] void die_of(int signal_number);

}  // namespace tutti::actors
