#include "mpi/entry/passing_call.hpp"

#include "base/clock.hpp"
#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

namespace {

Runtime* observed_runtime() {
  Runtime* const runtime = Runtime::get();
  return runtime != nullptr && !runtime->observers().is_empty() ? runtime : nullptr;
}

}  // namespace

PassingCall::PassingCall(algorithm::Collective collective, select::CallKind interface)
    : observed_(observed_runtime()) {
  if (observed_ == nullptr) return;
  event_ = {.collective = collective,
            .interface = interface,
            .passes_through = true,
            .started_ns = base::monotonic_ns()};
  observed_->observers().begun(event_);
}

PassingCall::~PassingCall() {
  if (observed_ == nullptr) return;
  event_.ended_ns = base::monotonic_ns();
  observed_->observers().ended(event_);
}

}  // namespace tutti::mpi
