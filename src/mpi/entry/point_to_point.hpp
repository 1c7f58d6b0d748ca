#pragma once
// Messages of the program, while peers may need this rank's part in collectives that it has started and no
// thread carries out: calls that would block turn into requests that are tested, and the engine is driven
// between tests.

#include <mpi.h>

#include "mpi/lifecycle/progress_engine.hpp"

namespace tutti::mpi {

/// nullptr: the native call may block as it likes. A few loads.
ProgressEngine* engine_in_need();

/// Drives until a native request is complete.
int complete(ProgressEngine& progress, MPI_Request* request, MPI_Status* status);

}  // namespace tutti::mpi
