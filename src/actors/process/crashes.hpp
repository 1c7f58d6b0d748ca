#pragma once
// Ranks that crash end the job with their number and signal, not the container's.

#include <signal.h>

#include <atomic>
#include <cstdint>

namespace tutti::actors {

struct Crash {
  int rank = 0, signal = 0;  // 0: none
};

/// Once, before any rank begins.
void install_crash_handlers();
/// This thread, and what it does, is that of a rank, which does `actions` on k_crash_signals, in their order. Gives it
/// a stack for handlers. `is_ending`: where it is not 0, a fault ends this thread alone; nullptr: it never does.
void watch_crashes(int rank, const struct sigaction* actions,
                   const volatile sig_atomic_t* is_ending = nullptr);
/// The thread is going to end.
void unwatch_crashes();
/// Rung when a rank has crashed; also by others.
std::atomic<uint32_t>& crash_bell();
Crash first_crash();
/// Ends this process by the signal.
[[noreturn]] void die_of(int signal_number);

}  // namespace tutti::actors
