#pragma once
// Taking communicators in and letting them go.

#include <mpi.h>

#include "base/status.hpp"

namespace tutti::mpi {

class Runtime;

/// A call of all members of `parent` has just made a communicator, or none for this rank, or has failed with `result`:
/// all of them come here. Tutti keeps a little for it where it can serve it: an intracommunicator of at least two
/// ranks, all of this MPI_COMM_WORLD. Otherwise it stays native on all members.
void adopt(int result, MPI_Comm made, MPI_Comm parent);
/// The same for a call of some members, which come here alone. `tag`: by which such calls differ that run at a time.
void adopt_of_some(int result, MPI_Comm made, MPI_Comm parent, int tag);

/// Takes in MPI_COMM_WORLD, without talking. It is never freed, so it needs no attribute.
void adopt_world(Runtime& runtime);

/// The communicator that Tutti serves and that has this twin; MPI_COMM_NULL: there is none.
MPI_Comm communicator_of_twin(MPI_Comm twin);

/// Key for attributes whose deletion lets a communicator go. Error: mpi.
base::Status make_comm_keyval(int* keyval);

/// Lets all communicators go, and their attributes become meaningless.
void release_all(Runtime& runtime);

}  // namespace tutti::mpi
