#pragma once

#include <mpi.h>

#include "mpi/data/local_check.hpp"

namespace tutti::mpi {

/// Collective. True if `mine` is true on all ranks.
inline bool all_agree(MPI_Comm comm, bool mine) {
  int is_true = local_check(mine);
  return PMPI_Allreduce(MPI_IN_PLACE, &is_true, 1, MPI_INT, MPI_LAND, comm) == MPI_SUCCESS && is_true != 0;
}

}  // namespace tutti::mpi
