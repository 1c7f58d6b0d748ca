#pragma once
// Reports collective calls on communicators that Tutti does not serve to the observers.

#include <mpi.h>

#include "algorithm/request.hpp"
#include "dispatch/observer.hpp"
#include "select/candidate.hpp"

namespace tutti::mpi {

class Runtime;

/// Wraps the native call. Used by one thread.
class PassingCall {
 public:
  PassingCall(algorithm::Collective collective, select::CallKind interface, MPI_Comm comm,
              const void* caller);
  ~PassingCall();
  PassingCall(const PassingCall&) = delete;
  PassingCall& operator=(const PassingCall&) = delete;

  /// The native call, which does not block, has returned `result`, which is returned.
  int started(int result, const MPI_Request* request);
  /// The native call has returned `result`, which is returned.
  int ended(int result);

 private:
  void keep_request();

  Runtime* observed_;  // nullptr: there are no observers
  dispatch::CallEvent event_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace tutti::mpi
