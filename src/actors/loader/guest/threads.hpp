#pragma once
// The rank's threads, and their values of pthread_key_create(). All C libraries of the process store these
// values in the same slots of the kernel thread, so that two libraries would overwrite each other's values.
// Therefore the guest stores the rank's values itself.

namespace tutti::actors {

/// Called by the rank's first thread, before any code that could create a key or a thread. False: the slot
/// that the guest needs is not available in the C library.
bool prepare_threads();
/// Calls the destructors of this thread's values, as when the thread ends.
void end_values();

}  // namespace tutti::actors
