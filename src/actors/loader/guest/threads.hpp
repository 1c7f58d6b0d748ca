#pragma once
// The rank's threads, and their values of pthread_key_create(). The values that the kernel's thread has belong to every
// C library of the process alike, so that two would take each other's: the guest keeps those of the rank by itself.

namespace tutti::actors {

/// Before all that could create a key or a thread; by the rank's first thread. False: the C library does not have the
/// slot that the guest needs.
bool prepare_threads();
/// Calls the destructors of this thread's values, as at its end.
void end_values();

}  // namespace tutti::actors
