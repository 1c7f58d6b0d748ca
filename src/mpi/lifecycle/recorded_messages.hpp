#pragma once
// Where ranks wait for messages of each other, for the record of a run.

namespace tutti::mpi {

/// In place of `next`, the function of the MPI that has this name, one that records how long the program waits in it
/// and for whom; `next` itself where the name is of no such function. For stand_between(): a run without a record has
/// nothing of it in its way. The calls that complete requests are seen by NativeRequests.
void* recorded_messages(const char* name, void* next);

}  // namespace tutti::mpi
