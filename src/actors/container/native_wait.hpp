#pragma once
// Waits for requests of the native MPI before the ranks run.

#include <mpi.h>

#include "engine/wait_policy.hpp"

namespace tutti::actors {

/// Sleeps between tests: a blocking call would poll, and take CPU time from the processes that it waits for. Returns
/// the error code of the request.
inline int wait_asleep(MPI_Request* request) {
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  for (;; waiter.idle()) {
    int is_done = 0;
    const int code = PMPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || is_done != 0) return code;
  }
}

}  // namespace tutti::actors
