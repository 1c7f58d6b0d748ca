#pragma once
// What the ranks agree on by collectives of the native MPI.

#include <mpi.h>

#include <cstdint>
#include <random>

#include "collective/mpi/data/local_check.hpp"

namespace tutti::mpi {

/// Collective. True if `mine` is true on all ranks.
inline bool all_agree(MPI_Comm comm, bool mine) {
  int is_true = local_check(mine);
  return PMPI_Allreduce(MPI_IN_PLACE, &is_true, 1, MPI_INT, MPI_LAND, comm) == MPI_SUCCESS && is_true != 0;
}

/// Collective: returns one random number, the same on all ranks.
inline uint64_t common_token(MPI_Comm comm) {
  std::random_device random;
  uint64_t token = uint64_t{random()} << 32 | random();
  PMPI_Bcast(&token, 1, MPI_UINT64_T, 0, comm);
  return token;
}

}  // namespace tutti::mpi
