#pragma once
// What a collective that has failed after its call had returned leaves to the call that completes its
// request.

#include <mpi.h>

#include <memory>

namespace tutti::mpi {

class Communicator;

struct Failure {
  /// Whose error handler has to hear of it; nullptr: it knows.
  std::shared_ptr<Communicator> communicator;
  int code = MPI_SUCCESS;
};

}  // namespace tutti::mpi
