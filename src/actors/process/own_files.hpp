#pragma once
// Private file descriptors and working directory of one thread, and of the threads that it creates.

namespace tutti::actors {

/// True if this system permits that (unshare(2); seccomp filters of containers may refuse it).
bool can_take_own_files();
/// From now on this thread has private standard streams and a private working directory, and no other open
/// file of the process.
void take_own_files(const int (&files)[4]);

}  // namespace tutti::actors
