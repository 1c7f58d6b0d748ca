#pragma once
// Functions that determine the members of a communicator and their nodes.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace tutti::mpi {

/// PMPI_Comm_group or PMPI_Comm_remote_group.
using GroupOf = int(MPI_Comm, MPI_Group*);

/// Ranks in MPI_COMM_WORLD of the members of a group of `comm`; false if one of them is not in this MPI_COMM_WORLD. All
/// members get the same result: if members have different MPI_COMM_WORLDs, each finds some that are not in its own.
bool find_world_ranks(MPI_Comm comm, GroupOf group_of, std::vector<int>* world_ranks);

/// The topology of a communicator of these ranks, at least one.
topology::Topology topology_of(std::span<const int> world_ranks, std::span<const int32_t> node_of_world_rank);

}  // namespace tutti::mpi
