#pragma once
// A nonblocking collective that Tutti serves, from its call to the end of its request.
//
// What the program gets is a generalized request of its MPI: every completion call, every mixture with native
// requests, MPI_Request_free, Fortran handles and statuses are the MPI's own business and behave as they
// always do. The progress thread completes it.

#include <mpi.h>

#include <functional>
#include <memory>
#include <utility>

#include "engine/job.hpp"
#include "mpi/entry/call.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/request/pending_requests.hpp"

namespace tutti::mpi {

/// The native MPI carries it out, and is asked from time to time.
class NativeOperation final : public engine::Operation {
 public:
  MPI_Request& request() { return request_; }
  bool is_done() const override;
  const base::Status& status() const override { return status_; }

 private:
  mutable MPI_Request request_ = MPI_REQUEST_NULL;
  mutable base::Status status_;
};

/// Made and given away by the thread that calls MPI_I*; ends on the progress thread. Held by the request and
/// by the job.
class NonblockingCall final : public engine::Job, public PendingRequest {
 public:
  NonblockingCall(Collective collective, Communicator& communicator, const void* caller)
      : call_(collective, communicator, CallKind::nonblocking, caller) {}

  Call& call() { return call_; }

  /// After the call has been offered to Tutti: it may go to the native MPI after it has returned, because the ranks
  /// have not agreed yet what serves it, or because such calls are before it. Then keep_native() says how. Asked
  /// once: calls before it may get there at any moment.
  bool may_go_native_later();
  /// Tutti has taken it, to serve it or to send it to the native MPI later.
  bool is_taken() const { return call_.is_served() || is_held_back_; }
  void keep_native(std::function<int(MPI_Request*)> native) { native_ = std::move(native); }
  /// Where the native MPI carries it out: on the twin, where a site has decided so, and in the program's order where
  /// rules have.
  MPI_Comm native_comm() const;
  /// It has gone native at once. Observers hear of its completion, too.
  int went_native(int result, const MPI_Request* request);

  /// Starts what the call has made ready. Owns itself from here on: the request's end is its own.
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
  Failure failure_;  // once it has ended
  bool is_held_back_ = false;
  bool is_timed_ = false;
  TrialTimes times_;
};

/// What Tutti keeps for the communicator, where it may serve nonblocking collectives on it; otherwise
/// nullptr.
Communicator* serves_nonblocking(MPI_Comm comm);
}  // namespace tutti::mpi
