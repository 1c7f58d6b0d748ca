#pragma once
// Records the time that ranks wait for each other's messages.

namespace tutti::mpi {

/// A wrapper for `next`, the MPI function of this name, that records how long the program waits in it and for which
/// rank; `next` itself if it is not such a function. For stand_between(), so that a run without a record has no such
/// wrappers. NativeRequests observes the calls that complete requests.
void* recorded_messages(const char* name, void* next);

}  // namespace tutti::mpi
