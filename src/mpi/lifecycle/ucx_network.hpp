#pragma once
// The transport beside the program's MPI that may carry what no call blocks in, so that it shares neither
// lock nor connection with the program's own messages (ADR 11).

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "mpi/lifecycle/progress_engine.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Collective over `world`, with the same outcome on all ranks: a network over which every rank has reached all
/// others, or what is in the way.
base::Result<std::unique_ptr<transport::Network>> connect_ucx(MPI_Comm world, size_t rank_count);

/// Collective. False: the MPI drives a network that UCX may know less of.
bool ucx_suits(MPI_Comm world);

/// Collective over `world`, with the same outcome on all ranks: a network over which every rank has reached
/// all others; nullptr where none is wanted, or none would help; or what is in the way.
base::Result<std::unique_ptr<transport::Network>> open_ucx_network(
    MPI_Comm world, std::span<const int32_t> node_of_world_rank, const base::Settings& settings,
    const ProgressEngine& progress);

}  // namespace tutti::mpi
