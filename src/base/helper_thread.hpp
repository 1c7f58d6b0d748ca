#pragma once
// Starts Tutti's own threads in the program's process.

#include <pthread.h>

#include <cstdint>

#include "base/cpu_set.hpp"
#include "base/status.hpp"

namespace tutti::base {

/// Starts `body(argument)` on a thread that blocks all signals except those that it raises itself, and that has a small
/// timer slack. `cores`: its affinity; nullptr: that of its creator. `name` has at most 15 characters. Error: system.
Status start_helper_thread(const char* name, const CpuSet* cores, void* (*body)(void*), void* argument,
                           pthread_t* thread);

/// Waits for the end of the thread. Returns false if it has not ended within that time: it is detached, and everything
/// that it uses must stay valid.
bool join_within(pthread_t thread, uint64_t within_ns);

}  // namespace tutti::base
