#pragma once
// Files and working directory of one thread, and of the threads that it begins.

namespace tutti::actors {

/// Whether this system lets threads have that (unshare(2); filters of containers refuse it).
bool can_take_own_files();
/// From now on this thread has standard streams and a working directory of its own, and no other file of the process.
void take_own_files(const int (&files)[4]);

}  // namespace tutti::actors
