#pragma once
// State of the ranks' meetings on a communicator before native collectives (communicator/native_collective.hpp).

#include <mpi.h>

#include "base/status.hpp"

namespace tutti::mpi {

/// State of one communicator on one rank.
struct NativeEntryBarrier {
  bool is_possible = false;  // all members are in this MPI_COMM_WORLD, so that all of them take part
  bool has_met = false;      // the ranks have already met for the next native call
};

/// Keeps a NativeEntryBarrier as an attribute of any communicator, including those that Tutti does not serve: on other
/// communicators, every rank may have started operations that the others wait for. Used by the thread that is inside a
/// collective on the communicator.
class NativeEntryBarriers {
 public:
  /// Error: mpi.
  base::Status open();
  void close();
  /// nullptr: the ranks cannot meet there. If `comm` is invalid, the MPI calls its error handler.
  NativeEntryBarrier* find(MPI_Comm comm) const;

 private:
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace tutti::mpi
