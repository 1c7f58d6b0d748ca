// The entry points around which everything else revolves. Tutti starts after the native MPI and stops before
// it.

#include <mpi.h>

#include "mpi/api/state.hpp"
#include "mpi/lifecycle/other_mpi.hpp"
#include "mpi/lifecycle/runtime.hpp"

using tutti::mpi::Runtime;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  tutti::mpi::refuse_other_mpi();
  int provided = MPI_THREAD_SINGLE;
  const int result = Runtime::wants_threads() ? PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                                              : PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) Runtime::start(MPI_THREAD_SINGLE);
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  tutti::mpi::refuse_other_mpi();
  const int level = Runtime::wants_threads() ? MPI_THREAD_MULTIPLE : required;
  const int result = PMPI_Init_thread(argc, argv, level, provided);
  if (result == MPI_SUCCESS) Runtime::start(required);
  return result;
}

int MPI_Finalize() {
  tutti::mpi::api::shut_down();
  Runtime::stop();
  return PMPI_Finalize();
}

}  // extern "C"
#pragma GCC visibility pop
