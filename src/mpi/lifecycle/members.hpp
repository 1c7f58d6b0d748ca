#pragma once
// The members of a communicator.

#include <mpi.h>

#include <vector>

namespace tutti::mpi {

/// PMPI_Comm_group or PMPI_Comm_remote_group.
using GroupOf = int(MPI_Comm, MPI_Group*);

/// Ranks in MPI_COMM_WORLD of the members of a group of `comm`; false when one of them is not of this
/// MPI_COMM_WORLD. All members find the same, because each of two worlds sees the other one's members as
/// strangers.
bool find_world_ranks(MPI_Comm comm, GroupOf group_of, std::vector<int>* world_ranks);

}  // namespace tutti::mpi
