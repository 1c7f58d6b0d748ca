#pragma once
// Duplicates of communicators ("twins", docs/adr/0009). On a twin, the native MPI carries out the calls that
// nonblocking call sites leave to it, in an order that is independent of the program's own calls.

#include <mpi.h>

#include <mutex>
#include <vector>

#include "base/status.hpp"

namespace tutti::mpi {

/// Any thread, except open() and close().
///
/// Twins have no attributes, so that none of the program's attribute callbacks is called for them. An error of the MPI
/// on a twin goes to the error handler of the program's communicator.
class Twins {
 public:
  /// The communicator of the program that has this twin; MPI_COMM_NULL: it no longer exists. Any thread.
  using OriginOf = MPI_Comm(MPI_Comm twin);
  /// `of_world`: the twin of MPI_COMM_WORLD, which the caller owns. Error: mpi.
  base::Status open(MPI_Comm of_world, OriginOf* origin_of);
  /// No operation is pending on any twin.
  void close();

  /// Creates a twin. Collective over `comm`. MPI_COMM_NULL, on all ranks: it cannot be created.
  MPI_Comm make(MPI_Comm comm);
  /// Gives a twin back; no operation is pending on it here. May be called inside the MPI, because the twin is freed
  /// later.
  void give_back(MPI_Comm twin);

  /// While it lives, this thread's errors on twins are returned and not passed to a handler.
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
