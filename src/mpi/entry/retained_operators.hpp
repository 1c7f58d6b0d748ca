#pragma once
// Keeps operators of calls that go to the native MPI only after they have returned, when the program may have freed
// them. MPI cannot copy an operator, so a kept one is freed after the last call that needs it.

#include <mpi.h>

#include <memory>

namespace tutti::mpi {

/// Copies share the kept operator. Any thread.
class RetainedOperator {
 public:
  /// Predefined operators need not be kept. An invalid handle is not kept, because the native call returns the right
  /// error.
  explicit RetainedOperator(MPI_Op op);
  MPI_Op get() const { return op_; }

 private:
  MPI_Op op_;
  std::shared_ptr<void> kept_;
};

}  // namespace tutti::mpi
