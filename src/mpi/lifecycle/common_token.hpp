#pragma once

#include <mpi.h>

#include <cstdint>
#include <random>

namespace tutti::mpi {

/// Collective: returns one random number, the same on all ranks.
inline uint64_t common_token(MPI_Comm comm) {
  std::random_device random;
  uint64_t token = uint64_t{random()} << 32 | random();
  PMPI_Bcast(&token, 1, MPI_UINT64_T, 0, comm);
  return token;
}

}  // namespace tutti::mpi
