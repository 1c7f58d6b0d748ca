#pragma once
// The UCX transport, which can carry background operations so that they share neither lock nor connection with the
// program's own messages (ADR 11).

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "mpi/progress/progress_engine.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Collective over `world`, with the same outcome on all ranks: a network over which every rank has reached all
/// others, or the obstacle.
base::Result<std::unique_ptr<transport::Network>> connect_ucx(MPI_Comm world, size_t rank_count);

/// Ends the use of such a network. Its worker stays until the process ends: UCX ends the process if it destroys a
/// worker and cannot query its devices any more (filters of system calls, first threads that have ended).
void leave_ucx(std::unique_ptr<transport::Network> network);

/// Collective. False: the MPI uses a fast network that UCX may support less well.
bool ucx_suits(MPI_Comm world);

/// Collective over `world`, with the same outcome on all ranks: a network over which every rank has reached all others;
/// nullptr if none is wanted, or none would help; or the obstacle.
base::Result<std::unique_ptr<transport::Network>> open_ucx_network(
    MPI_Comm world, std::span<const int32_t> node_of_world_rank, const base::Settings& settings,
    const ProgressEngine& progress);

}  // namespace tutti::mpi
