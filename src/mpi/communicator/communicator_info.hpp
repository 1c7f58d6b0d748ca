#pragma once
// Tutti's info key of communicators: tutti_overlap, which is off or on (docs/overlap.md).
//
// Tutti reads it when the program sets it, because an MPI may drop unknown keys. It may differ between ranks.

#include <mpi.h>

namespace tutti::mpi {

/// The program has created the communicator with this info, or set it later. A missing key changes nothing.
void take_info(MPI_Comm comm, MPI_Info info);

/// `made` is a duplicate. Since MPI 4.0, a duplicate does not inherit the hints of its parent; this key is inherited
/// nevertheless.
void inherit_info(MPI_Comm made, MPI_Comm parent);

/// Adds the key to the info that the MPI returns for a communicator.
void add_info(MPI_Comm comm, MPI_Info info);

}  // namespace tutti::mpi
