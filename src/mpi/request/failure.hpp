#pragma once
// Failure of a collective after its call has returned, for the call that completes its request.

#include <mpi.h>

#include <memory>

#include "base/status.hpp"

namespace tutti::mpi {

class Communicator;

struct Failure {
  /// The communicator whose error handler has to be called; nullptr: the native MPI has called it.
  std::shared_ptr<Communicator> communicator;
  int code = MPI_SUCCESS;
};

/// The MPI error code that is closest to the status.
int error_code_of(const base::Status& status);

}  // namespace tutti::mpi
