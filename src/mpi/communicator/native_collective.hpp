#pragma once
// Guard for collectives in which the program blocks in the native MPI, while peers may need progress on operations that
// this rank has started.

#include <mpi.h>

#include "base/short_way.hpp"
#include "mpi/progress/progress_engine.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

struct NativeEntryBarrier;

/// Wraps a native call that is collective over a communicator. The call cannot be replaced by a nonblocking one that is
/// tested, because that would not match the blocking call of a peer. So the progress thread drives as a delegate
/// meanwhile. Without a progress thread, all ranks meet first and drive until then; afterwards each of them waits only
/// for this call.
class NativeCollective {
 public:
  /// `comm`: MPI_COMM_NULL for calls that only some ranks of a communicator make.
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

  /// The native call has returned `result`, which is returned. A call that the MPI has refused, possibly on this rank
  /// only, has not taken place: the barrier then counts for the next call.
  int ended(int result) {
    if (barrier_ != nullptr) [[unlikely]]
      keep_meeting(result);
    return result;
  }

 private:
  void begin(MPI_Comm comm);
  void keep_meeting(int result);

  ProgressEngine* delegated_ = nullptr;
  NativeEntryBarrier* barrier_ = nullptr;
};

}  // namespace tutti::mpi
