#pragma once
// Second communicators of the MPI for the ranks of one (docs/adr/0009): the native MPI carries out there, in an order
// of its own, what a call site that does not block leaves to it.

#include <mpi.h>

#include <mutex>
#include <vector>

#include "base/status.hpp"

namespace tutti::mpi {

/// Any thread, but for open() and close().
///
/// Twins have no attributes, so that no callback of the program's hears of them. An error of the MPI on a twin goes to
/// the error handler of the program's communicator.
class Twins {
 public:
  /// The communicator of the program that has that twin; MPI_COMM_NULL: it is gone. Any thread.
  using OriginOf = MPI_Comm(MPI_Comm twin);
  /// `of_world`: of MPI_COMM_WORLD; it belongs to the caller. Error: mpi.
  base::Status open(MPI_Comm of_world, OriginOf* origin_of);
  /// Nothing is under way on any of them.
  void close();

  /// Collective over `comm`. MPI_COMM_NULL, on all ranks alike: there is none to be had.
  MPI_Comm make(MPI_Comm comm);
  /// Nothing is under way on it here. Also from inside the MPI: it is freed at another time.
  void give_back(MPI_Comm twin);

  /// While it lives, this thread's errors on twins are returned and go to no handler.
  class Silence {
   public:
    Silence();
    ~Silence();
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;
  };

 private:
  void free_spent();

  MPI_Comm of_world_ = MPI_COMM_NULL;
  MPI_Errhandler forwarder_ = MPI_ERRHANDLER_NULL;
  std::mutex mutex_;
  std::vector<MPI_Comm> spent_;
};

}  // namespace tutti::mpi
