#pragma once
// Makes the MPI return errors as codes, independently of the program's error handlers.

#include <mpi.h>

namespace tutti::mpi::api {

/// While it lives, errors of `comm`, and those without a communicator, are returned. Any thread; errors of other
/// threads are returned to them meanwhile, too.
class ErrorsReturnGuard {
 public:
  explicit ErrorsReturnGuard(MPI_Comm comm);
  ~ErrorsReturnGuard();
  ErrorsReturnGuard(const ErrorsReturnGuard&) = delete;
  ErrorsReturnGuard& operator=(const ErrorsReturnGuard&) = delete;

  /// True if `comm` is a valid communicator.
  bool is_comm() const { return is_comm_; }

 private:
  MPI_Comm comm_;
  bool is_comm_ = false;
  bool is_own_ = false;  // comm_ is valid and neither MPI_COMM_WORLD nor MPI_COMM_SELF
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

}  // namespace tutti::mpi::api
