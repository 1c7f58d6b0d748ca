#pragma once
// Collective calls on communicators that Tutti does not serve, for observers.

#include <mpi.h>

#include "algorithm/request.hpp"
#include "dispatch/observer.hpp"
#include "select/candidate.hpp"

namespace tutti::mpi {

class Runtime;

/// Stands around the native call. One thread's business.
class PassingCall {
 public:
  PassingCall(algorithm::Collective collective, select::CallKind interface, MPI_Comm comm,
              const void* caller);
  ~PassingCall();
  PassingCall(const PassingCall&) = delete;
  PassingCall& operator=(const PassingCall&) = delete;

  /// The native call, which does not block, has returned `result`, which it gives back.
  int started(int result, const MPI_Request* request);
  /// The native call has returned `result`, which it gives back.
  int ended(int result);

 private:
  void keep_request();

  Runtime* observed_;  // nullptr: nobody observes
  dispatch::CallEvent event_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace tutti::mpi
