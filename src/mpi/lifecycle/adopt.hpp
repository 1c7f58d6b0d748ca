#pragma once
// Taking communicators in and letting them go.

#include <mpi.h>

#include "base/status.hpp"

namespace tutti::mpi {

class Runtime;

/// A communicator has just been made by a collective call on `parent`: all its members come here. Sets up
/// Tutti's state for it where Tutti can serve it: an intracommunicator of at least two ranks, all of this
/// MPI_COMM_WORLD. Otherwise, and where anything fails, it stays native on all members.
void adopt(MPI_Comm made, MPI_Comm parent, int tag);

/// Takes in MPI_COMM_WORLD, without talking. It is never freed, so it needs no attribute.
void adopt_world(Runtime& runtime);

/// The communicator that Tutti serves and that has this twin; MPI_COMM_NULL: there is none.
MPI_Comm communicator_of_twin(MPI_Comm twin);

/// Key for attributes whose deletion lets a communicator go. Error: mpi.
base::Status make_comm_keyval(int* keyval);

/// Lets all communicators go, and their attributes become meaningless.
void release_all(Runtime& runtime);

}  // namespace tutti::mpi
