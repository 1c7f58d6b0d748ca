#pragma once
// Blocking message calls of the program while peers may need progress on collectives that this rank has started and no
// thread carries out: the calls are replaced by requests that are tested, and the engine is driven between the tests.

#include <mpi.h>

#include "mpi/progress/progress_engine.hpp"

namespace tutti::mpi {

/// nullptr: the native call may block. A few loads.
ProgressEngine* engine_in_need();

/// Drives until a native request is complete.
int complete(ProgressEngine& progress, MPI_Request* request, MPI_Status* status);

}  // namespace tutti::mpi
