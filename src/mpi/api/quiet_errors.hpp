#pragma once
// Errors of the MPI as codes, whatever the program's error handlers do.

#include <mpi.h>

namespace tutti::mpi::api {

/// While it lives, errors of `comm`, and those that belong to no communicator, are returned. Any thread; what
/// other threads do wrong meanwhile is returned to them as well.
class QuietErrors {
 public:
  explicit QuietErrors(MPI_Comm comm);
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

  /// `comm` is a communicator.
  bool is_comm() const { return is_comm_; }

 private:
  MPI_Comm comm_;
  bool is_comm_ = false;
  bool is_own_ = false;  // neither MPI_COMM_WORLD nor MPI_COMM_SELF
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

}  // namespace tutti::mpi::api
