#pragma once
// A nonblocking collective that Tutti serves, from its call to the end of its request.
//
// The program gets a generalized request of its MPI, so the MPI itself handles completion calls, mixtures with native
// requests, MPI_Request_free, Fortran handles and statuses. The progress thread completes it.

#include <mpi.h>

#include <functional>
#include <memory>
#include <utility>

#include "engine/job.hpp"
#include "mpi/call/call.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/request/pending_requests.hpp"

namespace tutti::mpi {

/// An operation that the native MPI carries out; its request is tested from time to time.
class NativeOperation final : public engine::Operation {
 public:
  MPI_Request& request() { return request_; }
  bool is_done() const override;
  const base::Status& status() const override { return status_; }

 private:
  mutable MPI_Request request_ = MPI_REQUEST_NULL;
  mutable base::Status status_;
};

/// Created and handed over by the thread that calls MPI_I*; ends on the progress thread. Held by the request and by the
/// job.
class NonblockingCall final : public engine::Job, public PendingRequest {
 public:
  NonblockingCall(Collective collective, Communicator& communicator, const void* caller)
      : call_(collective, communicator, CallInterface::nonblocking, caller) {}

  Call& call() { return call_; }

  /// True if a call that was offered to Tutti may go to the native MPI after it has returned, because the ranks have
  /// not yet agreed on what serves it, or because such calls precede it. Then keep_native() sets the native call.
  /// Called once, because the preceding calls may go there at any moment.
  bool may_go_native_later();
  /// True if Tutti has taken the call, to serve it or to pass it to the native MPI later.
  bool is_taken() const { return call_.is_served() || is_held_back_; }
  void keep_native(std::function<int(MPI_Request*)> native) { native_ = std::move(native); }
  /// The communicator for the native call: the twin if a site has decided, and the program's own communicator if the
  /// rules have.
  MPI_Comm native_comm() const;
  /// The call has gone native at once. Its completion is reported to observers, too.
  int went_native(int result, const MPI_Request* request);

  /// Starts the prepared operation. From now on the object owns itself and is deleted with the request.
  static int begin(std::unique_ptr<NonblockingCall> pending, MPI_Request* request);

 private:
  bool is_ready() override;
  base::Result<engine::Operation*> start() override;
  void release(engine::Operation* operation) override;
  void ended(const base::Status& status) override;

  void begin_turn();
  void end_turn();

  static int query(void* pending, MPI_Status* status);
  static int free(void* pending);
  static int cancel(void* pending, int is_complete);

  Call call_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::function<int(MPI_Request*)> native_;
  NativeOperation native_operation_;
  Failure failure_;  // set when the operation has ended
  bool is_held_back_ = false;
  bool is_timed_ = false;
  TrialTimes times_;
};

/// Tutti's state for the communicator, if it may serve nonblocking collectives on it; otherwise nullptr.
Communicator* serves_nonblocking(MPI_Comm comm);
}  // namespace tutti::mpi
