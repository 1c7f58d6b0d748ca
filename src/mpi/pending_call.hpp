#pragma once
// A nonblocking collective that Tutti serves, from its call to the end of its request.
//
// What the program gets is a generalized request of its MPI: every completion call, every mixture with native
// requests, MPI_Request_free, Fortran handles and statuses are the MPI's own business and behave as they
// always do. The progress thread completes it.

#include <mpi.h>

#include <memory>

#include "engine/job.hpp"
#include "mpi/call.hpp"
#include "mpi/pending_requests.hpp"

namespace tutti::mpi {

/// Made and given away by the thread that calls MPI_I*; ends on the progress thread. Held by the request and
/// by the job.
class PendingCall final : public engine::Job, public PendingRequest {
 public:
  PendingCall(Collective collective, MPI_Comm comm) : call_(collective, comm, CallKind::nonblocking) {}

  Call& call() { return call_; }

  /// Starts what the call has made ready. Owns itself from here on: the request's end is its own.
  static int begin(std::unique_ptr<PendingCall> pending, MPI_Request* request);

 private:
  void ended(const base::Status& status) override;

  static int query(void* pending, MPI_Status* status);
  static int free(void* pending);
  static int cancel(void* pending, int is_complete);

  Call call_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Tutti may serve a nonblocking collective on this communicator.
bool serves_nonblocking(MPI_Comm comm);
/// A nonblocking collective went native.
int count_native(MPI_Comm comm, int result);

}  // namespace tutti::mpi
