#pragma once
// Registers the communicators that Tutti serves and releases them when they are freed.

#include <mpi.h>

#include "base/status.hpp"

namespace tutti::mpi {

class Runtime;

/// Called by all members of `parent` after a call of all of them that created a communicator, or none for this rank, or
/// failed with `result`. Registers a communicator that Tutti can serve: an intracommunicator of at least two ranks, all
/// in this MPI_COMM_WORLD. Any other stays native on all members.
void adopt(int result, MPI_Comm made, MPI_Comm parent);
/// The same after a call of some members only, which alone call this. `tag`: distinguishes such calls that run at the
/// same time.
void adopt_of_some(int result, MPI_Comm made, MPI_Comm parent, int tag);

/// Registers MPI_COMM_WORLD. It is never freed, so it needs no attribute.
void adopt_world(Runtime& runtime);

/// The communicator that Tutti serves and that has this twin; MPI_COMM_NULL: there is none.
MPI_Comm communicator_of_twin(MPI_Comm twin);

/// Creates the key of the attributes whose deletion releases a communicator. Error: mpi.
base::Status make_comm_keyval(int* keyval);

/// Releases all communicators; their attributes have no effect afterwards.
void release_all(Runtime& runtime);

}  // namespace tutti::mpi
