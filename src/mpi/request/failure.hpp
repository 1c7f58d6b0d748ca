#pragma once
// What a collective that has failed after its call had returned leaves to the call that completes its
// request.

#include <mpi.h>

#include <memory>

#include "base/status.hpp"

namespace tutti::mpi {

class Communicator;

struct Failure {
  /// Whose error handler has to hear of it; nullptr: it knows.
  std::shared_ptr<Communicator> communicator;
  int code = MPI_SUCCESS;
};

/// An MPI error code that says what the status says as nearly as MPI can.
int error_code_of(const base::Status& status);

}  // namespace tutti::mpi
