#include "mpi/call/early_return_call.hpp"
#include <utility>

#include "base/clock.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

using base::Status;

std::optional<Status> EarlyReturnCall::begin(Communicator& communicator,
                                             const collective::PreparedCall& prepared,
                                             const collective::CallEvent& event,
                                             const engine::Bindings& bindings,
                                             std::unique_ptr<Buffers>* buffers, const Status& may_return) {
  Runtime& runtime = communicator.runtime();
  auto* const call = new EarlyReturnCall(communicator, prepared, event);
  engine::Bindings bound = bindings;
  bound.network = runtime.ucx_network() != nullptr ? 1 : 0;
  const bool has_own = *buffers != nullptr;
  const Owned owned{.input = has_own && (*buffers)->is_own(bound.input),
                    .output = has_own && (*buffers)->is_own(bound.output)};
  Status aside = may_return;
  // A peer may wait for pending operations before it joins this one, and a thread that waits for data outside the MPI
  // makes no progress on them.
  if (runtime.progress().must_drive())
    aside = Status::not_supported("operations under way make progress inside MPI calls only");
  else if (aside)
    aside = call->step_aside(prepared.plan()->schedule(), &bound, owned, runtime.early_calls().guards());
  call->has_returned_ = aside.is_ok();
  call->hold();  // for this function
  if (call->has_returned_) {
    call->buffers_ = std::move(*buffers);
    runtime.early_calls().jobs().insert(call);
  } else {
    runtime.log_verbose("a call waits inside: " + aside.message());
  }
  communicator.hand_over(call, prepared.plan(), bound, prepared.execution.mode);
  std::optional<Status> ended;
  if (aside) {
    runtime.progress().await(call->may_return());
  } else {
    runtime.progress().await(call->end());
    ended = call->status_;
  }
  call->release_hold();
  return ended;
}

void EarlyReturnCall::ended(const Status& status) {
  status_ = status;
  open();
  Communicator& communicator = communicator_;
  Runtime& runtime = communicator.runtime();
  if (has_returned_) {
    buffers_.reset();
    if (!runtime.observers().is_empty()) {
      event_.ended_ns = base::monotonic_ns();
      runtime.observers().ended_early_call(event_);
    }
    if (!status)
      runtime.early_calls().failures().add(
          {.communicator = communicator.keep(), .code = error_code_of(status)});
    runtime.early_calls().jobs().erase(this);
  }
  communicator.job_ended();
  end().set();
  release_hold();
}

}  // namespace tutti::mpi
