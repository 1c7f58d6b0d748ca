#pragma once
// Calls in which the program blocks natively while peers may need its part in collectives that it has
// started, and nobody else drives them.

#include <mpi.h>

#include "mpi/lifecycle/progress_engine.hpp"

namespace tutti::mpi {

struct Meeting;

/// nullptr: the native call may block as it likes. A few loads.
ProgressEngine* engine_in_need();

/// Drives until a native request is complete.
int complete(ProgressEngine& progress, MPI_Request* request, MPI_Status* status);

/// Stands around a native call that is collective over a communicator. There is no other form of it that
/// could be tested instead: the native nonblocking one does not match the blocking one of a peer. So either
/// the progress thread stands in for the time, or, where there is none, all ranks meet first, driving; after
/// that none of them waits for anything but this call.
class NativeCollective {
 public:
  /// MPI_COMM_NULL: for calls that only some ranks of a communicator make.
  explicit NativeCollective(MPI_Comm comm);
  ~NativeCollective();
  NativeCollective(const NativeCollective&) = delete;
  NativeCollective& operator=(const NativeCollective&) = delete;

  /// The native call has returned `result`, which it gives back. A call that the MPI has refused has not
  /// taken place, perhaps on this rank alone: the others are still to be met for the one that does.
  int ended(int result);

 private:
  ProgressEngine* replaced_ = nullptr;
  Meeting* meeting_ = nullptr;
};

}  // namespace tutti::mpi
