#include "mpi/call/passing_call.hpp"

#include "base/clock.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

namespace {

Runtime* observed_runtime() {
  Runtime* const runtime = Runtime::get();
  return runtime != nullptr && !runtime->observers().is_empty() ? runtime : nullptr;
}

}  // namespace

PassingCall::PassingCall(algorithm::Collective collective, select::CallKind interface, MPI_Comm comm,
                         const void* caller)
    : observed_(observed_runtime()) {
  if (observed_ == nullptr) return;
  event_ = {.collective = collective, .interface = interface, .passes_through = true, .caller = caller};
  if (!observed_->observers().time_every_call()) return;
  event_.track = track_of(*observed_, comm);
  event_.started_ns = base::monotonic_ns();
  observed_->observers().begun(event_);
}

PassingCall::~PassingCall() {
  if (observed_ == nullptr) return;
  const bool is_timed = event_.started_ns != 0;
  if (is_timed) event_.ended_ns = base::monotonic_ns();
  observed_->observers().ended(event_);
  if (is_timed && request_ != MPI_REQUEST_NULL) keep_request();
}

int PassingCall::ended(int result) {
  event_.is_refused = result != MPI_SUCCESS;
  return result;
}

int PassingCall::started(int result, const MPI_Request* request) {
  if (result == MPI_SUCCESS) request_ = *request;
  return ended(result);
}

/// Reports the completion, too, to observers that need times.
void PassingCall::keep_request() {
  Interest interest{.observers = &observed_->observers(), .event = event_};
  interest.event.ended_ns = 0;
  observed_->native_requests().add(request_, interest, event_.started_ns);
}

}  // namespace tutti::mpi
