#include "mpi/call/nonblocking_call.hpp"

#include <utility>

#include "base/clock.hpp"
#include "mpi/call/error_delivery.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

Communicator* serves_nonblocking(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  return runtime != nullptr && runtime->progress().is_serving() ? runtime->communicators().find(comm)
                                                                : nullptr;
}

bool NativeOperation::is_done() const {
  int is_done = 1;
  const Twins::Silence silence;
  const int code =
      request_ == MPI_REQUEST_NULL ? MPI_SUCCESS : PMPI_Test(&request_, &is_done, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) status_ = {base::Code::mpi, "the native MPI failed", code};
  return code != MPI_SUCCESS || is_done != 0;
}

int NonblockingCall::went_native(int result, const MPI_Request* request) {
  const collective::DispatchedCall& dispatched = call_.dispatched();
  Communicator& communicator = call_.communicator();
  call_.native(result);
  if (result != MPI_SUCCESS || !(dispatched.is_trial() || call_.is_observed())) return result;
  Runtime& runtime = communicator.runtime();
  CompletionObserver observer{.communicator = &communicator};
  if (dispatched.is_trial()) {
    observer.site = dispatched.site;
    observer.served_call = *dispatched.served_call;
  }
  if (call_.is_observed()) {
    observer.observers = &runtime.observers();
    observer.event = call_.native_event();
  }
  runtime.requests().native.add(*request, observer, call_.started_ns());
  return result;
}

bool NonblockingCall::may_go_native_later() {
  const collective::DispatchedCall& dispatched = call_.dispatched();
  is_held_back_ = dispatched.is_open() ||
                  (dispatched.site != nullptr && !call_.is_served() && call_.communicator().has_held_back());
  return is_held_back_;
}

MPI_Comm NonblockingCall::native_comm() const {
  return call_.dispatched().site != nullptr ? call_.communicator().twin() : call_.communicator().handle();
}

bool NonblockingCall::is_ready() {
  if (!call_.dispatched().is_open()) return true;
  if (!call_.decide()) return false;
  const collective::PreparedCall& prepared = call_.dispatched().prepared;
  plan = prepared.plan();
  if (!prepared.is_native()) call_.communicator().remove_held_back();
  return true;
}

base::Result<engine::Operation*> NonblockingCall::start() {
  if (plan != nullptr) return Job::start();
  if (const base::Status able = call_.dispatched().prepared.status(); !able) return able;
  const Twins::Silence silence;  // an error is raised when the program completes the request
  const int code = native_(&native_operation_.request());
  call_.communicator().remove_held_back();
  if (code != MPI_SUCCESS) return base::Status{base::Code::mpi, "the native MPI refused", code};
  return static_cast<engine::Operation*>(&native_operation_);
}

void NonblockingCall::release(engine::Operation* operation) {
  if (plan != nullptr) Job::release(operation);
}

int NonblockingCall::begin(std::unique_ptr<NonblockingCall> pending, MPI_Request* request) {
  if (pending->call_.result() != MPI_SUCCESS) return pending->call_.result();  // the handler has been called
  NonblockingCall* const mine = pending.get();
  const int code = PMPI_Grequest_start(query, free, cancel, mine, &mine->request_);
  if (code != MPI_SUCCESS) return code;
  *request = mine->request_;
  mine->hold();  // for the job; the first hold is the request's
  Communicator& communicator = mine->call_.communicator();
  communicator.runtime().requests().pending.insert(mine->request_, mine);
  mine->begin_turn();
  if (mine->is_held_back_) communicator.add_held_back();
  static_cast<void>(pending.release());
  const collective::PreparedCall& prepared = mine->call_.dispatched().prepared;
  engine::Bindings bound = mine->call_.bindings();
  bound.network = communicator.runtime().ucx_network() != nullptr ? 1 : 0;
  communicator.hand_over(mine, prepared.plan(), bound, prepared.execution.mode);
  return MPI_SUCCESS;
}

/// Begins to time a call that is observed, is a trial, or may become one.
void NonblockingCall::begin_turn() {
  const collective::DispatchedCall& dispatched = call_.dispatched();
  is_timed_ = call_.is_observed() || dispatched.is_open() || dispatched.is_trial();
  if (!is_timed_) return;
  call_.communicator().hold();
  times_ = {.started_ns = call_.started_ns(), .returned_ns = base::monotonic_ns()};
}

void NonblockingCall::ended(const base::Status& status) {
  call_.end(status);
  failure_ = call_.failure();
  // Dropped here, because MPICH holds its lock when it calls free(), where datatypes cannot be freed.
  call_.drop_buffers();
  native_ = nullptr;
  call_.communicator().job_ended();
  PMPI_Grequest_complete(request_);
  end().set();
  release_hold();
}

int NonblockingCall::query(void* pending, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  const auto* const mine = static_cast<NonblockingCall*>(pending);
  const Failure& failure = mine->failure_;
  return failure.code == MPI_SUCCESS || ErrorDelivery::takes(mine->request_, failure) ? MPI_SUCCESS
                                                                                      : failure.code;
}

int NonblockingCall::free(void* pending) {
  auto* const mine = static_cast<NonblockingCall*>(pending);
  if (Runtime* runtime = Runtime::get()) {
    runtime->requests().pending.erase(mine->request_);
    mine->end_turn();
  }
  mine->release_hold();
  return MPI_SUCCESS;
}

/// Called when the program has learned of the completion.
void NonblockingCall::end_turn() {
  if (!is_timed_) return;
  times_.awaited_ns = awaited_ns();
  call_.complete(times_.sample(base::monotonic_ns()));
  call_.communicator().release();
}

/// MPI does not permit the cancellation of nonblocking collectives.
int NonblockingCall::cancel(void*, int is_complete) {
  return is_complete ? MPI_SUCCESS : MPI_ERR_REQUEST;
}

}  // namespace tutti::mpi
