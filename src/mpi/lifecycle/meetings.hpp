#pragma once
// Where the ranks of a communicator meet before native collectives (blocking.hpp), and whether they have done
// so.

#include <mpi.h>

#include "base/status.hpp"

namespace tutti::mpi {

/// Of one communicator, on one rank.
struct Meeting {
  bool is_possible = false;  // all members are of this MPI_COMM_WORLD, so that all of them come
  bool has_met = false;      // for the next native call already
};

/// Hangs on any communicator, those that Tutti does not serve included: every rank may have started elsewhere
/// what the others wait for. Used by the thread that is inside a collective on the communicator.
class Meetings {
 public:
  /// Error: mpi.
  base::Status open();
  void close();
  /// nullptr: the ranks cannot meet there. `comm` is a communicator, or the MPI says so to its error handler.
  Meeting* find(MPI_Comm comm) const;

 private:
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace tutti::mpi
