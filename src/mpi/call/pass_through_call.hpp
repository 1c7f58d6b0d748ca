#pragma once
// Reports collective calls on communicators that Tutti does not serve to the observers.

#include <mpi.h>

#include "algorithm/request.hpp"
#include "collective/observer.hpp"
#include "select/candidate.hpp"

namespace tutti::mpi {

class Runtime;

/// Wraps the native call. Used by one thread.
class PassThroughCall {
 public:
  PassThroughCall(algorithm::Collective collective, select::CallInterface interface, MPI_Comm comm,
                  const void* caller);
  ~PassThroughCall();
  PassThroughCall(const PassThroughCall&) = delete;
  PassThroughCall& operator=(const PassThroughCall&) = delete;

  /// The native call, which does not block, has returned `result`, which is returned.
  int started(int result, const MPI_Request* request);
  /// The native call has returned `result`, which is returned.
  int ended(int result);

 private:
  void keep_request();

  Runtime* observed_;  // nullptr: there are no observers
  collective::CallEvent event_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace tutti::mpi
