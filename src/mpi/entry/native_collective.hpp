#pragma once
// Collectives in which the program blocks natively, while peers may need this rank's part in what it has
// started.

#include <mpi.h>

#include "base/short_way.hpp"
#include "mpi/lifecycle/progress_engine.hpp"
#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

struct Meeting;

/// Stands around a native call that is collective over a communicator. It cannot be turned into a request
/// that is tested, because the native nonblocking form does not match the blocking one of a peer. So the
/// progress thread drives as a delegate meanwhile; where there is none, all ranks meet first, driving, and
/// after that none of them waits for anything but this call.
class NativeCollective {
 public:
  /// MPI_COMM_NULL: for calls that only some ranks of a communicator make.
  [[gnu::always_inline]] explicit NativeCollective(MPI_Comm comm) {
    if (!base::ShortWay::is_open()) [[unlikely]]
      begin(comm);
  }
  ~NativeCollective() {
    if (delegated_ != nullptr) [[unlikely]]
      delegated_->end_delegation();
  }
  NativeCollective(const NativeCollective&) = delete;
  NativeCollective& operator=(const NativeCollective&) = delete;

  /// The native call has returned `result`, which it gives back. A call that the MPI has refused has not
  /// taken place, perhaps on this rank alone: the others are still to be met for the one that does.
  int ended(int result) {
    if (meeting_ != nullptr) [[unlikely]]
      keep_meeting(result);
    return result;
  }

 private:
  void begin(MPI_Comm comm);
  void keep_meeting(int result);

  ProgressEngine* delegated_ = nullptr;
  Meeting* meeting_ = nullptr;
};

}  // namespace tutti::mpi
