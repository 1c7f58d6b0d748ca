#pragma once
// Threads of Tutti's own in a process that belongs to the program.

#include <pthread.h>

#include <cstdint>

#include "base/cpu_set.hpp"
#include "base/status.hpp"

namespace tutti::base {

/// Starts `body(argument)` on a thread that handles no signals but those that it causes itself, and whose naps end when
/// they should. `cores`: where it runs; nullptr: where its maker does. `name` has at most 15 characters.
/// Error: system.
Status start_quiet_thread(const char* name, const CpuSet* cores, void* (*body)(void*), void* argument,
                          pthread_t* thread);

/// Waits for the thread's end. False: it has not ended within that time; it is detached, and whatever it uses must
/// stay.
bool join_within(pthread_t thread, uint64_t within_ns);

}  // namespace tutti::base
