#pragma once
// The members of a communicator.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace tutti::mpi {

/// PMPI_Comm_group or PMPI_Comm_remote_group.
using GroupOf = int(MPI_Comm, MPI_Group*);

/// Ranks in MPI_COMM_WORLD of the members of a group of `comm`; false when one of them is not of this
/// MPI_COMM_WORLD. All members find the same, because each of two worlds sees the other one's members as
/// strangers.
bool find_world_ranks(MPI_Comm comm, GroupOf group_of, std::vector<int>* world_ranks);

/// The shape of a communicator of these ranks, of which there is one at least.
topology::Topology topology_of(std::span<const int> world_ranks, std::span<const int32_t> node_of_world_rank);

}  // namespace tutti::mpi
