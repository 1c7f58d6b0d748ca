#pragma once
// The info key of communicators that means something to Tutti: tutti_overlap, which is off or on (docs/overlap.md).
//
// It is looked at where the program gives it, because an MPI may forget keys that it does not know. Ranks need not
// agree.

#include <mpi.h>

namespace tutti::mpi {

/// The program has made the communicator with that, or given it later. Keys that are missing change nothing.
void take_info(MPI_Comm comm, MPI_Info info);

/// `made` is a duplicate. Since MPI 4.0 one has no hints of its parent's; what is to be left alone stays so all the
/// same.
void inherit_info(MPI_Comm made, MPI_Comm parent);

/// Adds what has been taken to what the MPI says about a communicator.
void add_info(MPI_Comm comm, MPI_Info info);

}  // namespace tutti::mpi
