#pragma once
// Operators of calls that go to the native MPI only after they have returned to the program, which may have
// freed them by then. MPI has no copy of an operator: one that is kept is freed when the last call that needs
// it has gone.

#include <mpi.h>

#include <memory>

namespace tutti::mpi {

/// Copies share what they keep. Any thread.
class KeptOperator {
 public:
  /// Predefined operators need no keeping, nor does what is no operator: the native call knows the right
  /// error.
  explicit KeptOperator(MPI_Op op);
  MPI_Op get() const { return op_; }

 private:
  MPI_Op op_;
  std::shared_ptr<void> kept_;
};

}  // namespace tutti::mpi
