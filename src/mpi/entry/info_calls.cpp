// Entry points that set and get the info of a communicator.

#include <mpi.h>

#include "mpi/communicator/communicator_info.hpp"
#include "mpi/entry/pending_data.hpp"
#include "mpi/native/next_mpi.hpp"

namespace {

TUTTI_NEXT_MPI(MPI_Comm_set_info);
TUTTI_NEXT_MPI(MPI_Comm_get_info);

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  const int result = next_MPI_Comm_set_info(comm, info);
  if (result == MPI_SUCCESS) tutti::mpi::take_info(comm, info);
  return result;
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info) {
  tutti::mpi::await_objects(info);
  const int result = next_MPI_Comm_get_info(comm, info);
  if (result == MPI_SUCCESS) tutti::mpi::add_info(comm, *info);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
