#include "mpi/call/pass_through_call.hpp"
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

PassThroughCall::PassThroughCall(algorithm::Collective collective, select::CallInterface interface,
                                 MPI_Comm comm, const void* caller)
    : observed_(observed_runtime()) {
  if (observed_ == nullptr) return;
  event_ = {.collective = collective, .interface = interface, .passes_through = true, .caller = caller};
  if (!observed_->observers().time_every_call()) return;
  event_.counter = counter_of(*observed_, comm);
  event_.started_ns = base::monotonic_ns();
  observed_->observers().begun(event_);
}

PassThroughCall::~PassThroughCall() {
  if (observed_ == nullptr) return;
  const bool is_timed = event_.started_ns != 0;
  if (is_timed) event_.ended_ns = base::monotonic_ns();
  observed_->observers().ended(event_);
  if (is_timed && request_ != MPI_REQUEST_NULL) keep_request();
}

int PassThroughCall::ended(int result) {
  event_.is_refused = result != MPI_SUCCESS;
  return result;
}

int PassThroughCall::started(int result, const MPI_Request* request) {
  if (result == MPI_SUCCESS) request_ = *request;
  return ended(result);
}

/// Reports the completion, too, to observers that need times.
void PassThroughCall::keep_request() {
  CompletionObserver observer{.observers = &observed_->observers(), .event = event_};
  observer.event.ended_ns = 0;
  observed_->requests().native.add(request_, observer, event_.started_ns);
}

}  // namespace tutti::mpi
