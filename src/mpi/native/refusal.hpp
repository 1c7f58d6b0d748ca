#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>

namespace tutti::mpi {

/// True if this error code means that the native MPI refused the arguments of a call: nothing has been sent, and other
/// ranks need not have made the call.
inline bool is_refusal(int code) {
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) PMPI_Error_class(code, &error_class);
  constexpr std::array k_of_arguments{
      MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_ROOT, MPI_ERR_OP,   MPI_ERR_ARG,     MPI_ERR_COMM,
      MPI_ERR_GROUP,  MPI_ERR_TAG,   MPI_ERR_RANK, MPI_ERR_DIMS, MPI_ERR_INFO, MPI_ERR_TOPOLOGY};
  return std::ranges::find(k_of_arguments, error_class) != k_of_arguments.end();
}

}  // namespace tutti::mpi
