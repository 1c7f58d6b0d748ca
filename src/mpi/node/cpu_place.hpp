#pragma once
// This rank's share of the processing units of its machine.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/cpu_share.hpp"
#include "base/status.hpp"
#include "topology/core_choice.hpp"

namespace tutti::mpi {

/// Containers on one kernel, and nodes that TUTTI_NODES defines on a machine, share its units. Other jobs, and ranks
/// that this job spawns, are not taken into account.
struct CpuPlace {
  base::CpuShare share = base::CpuShare::own;
  topology::MaskPlace place;
  std::string description;  // one line: the numbers of ranks and units
};

/// Collective over `comm`: the ranks exchange the units that they may use. Error: mpi.
base::Result<CpuPlace> find_cpu_place(MPI_Comm comm, std::span<const int32_t> machine_of_rank);

}  // namespace tutti::mpi
