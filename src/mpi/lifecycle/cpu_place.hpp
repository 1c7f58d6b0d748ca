#pragma once
// What this rank has of its machine's processing units, beside the other ranks of the machine.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/cpu_share.hpp"
#include "base/status.hpp"
#include "topology/core_choice.hpp"

namespace tutti::mpi {

/// Containers on one kernel, and nodes that TUTTI_NODES makes of a machine, share its units. Jobs beside this one, and
/// ranks that it spawns, are not known.
struct CpuPlace {
  base::CpuShare share = base::CpuShare::own;
  topology::MaskPlace place;
  std::string description;  // one line: what was counted
};

/// Collective over `comm`: the ranks tell each other what they may use. Error: mpi.
base::Result<CpuPlace> find_cpu_place(MPI_Comm comm, std::span<const int32_t> machine_of_rank);

}  // namespace tutti::mpi
