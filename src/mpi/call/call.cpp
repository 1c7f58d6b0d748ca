#include "mpi/call/call.hpp"

#include <utility>

#include "base/clock.hpp"
#include "mpi/call/early_return_call.hpp"
#include "select/selector.hpp"

namespace tutti::mpi {

bool has_taken_place(int result) {
  if (result == MPI_SUCCESS) return true;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(result, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

bool Call::goes_native(uint64_t bytes, bool is_known) {
  event_.bytes = bytes;
  event_.bytes_known = is_known;
  const bool is_native =
      !hint_ && communicator_->dispatcher().goes_native(collective(), bytes, is_known, event_.interface,
                                                        &event_.native_reason);
  if (is_observed_ && is_blocking() && event_.started_ns == 0) begin_sampled(is_native);
  return is_native || (is_known && bytes == 0 && collective() != Collective::barrier);
}

int Call::native(int result) {
  const bool counts = has_taken_place(result);
  if (counts) communicator_->count_call();
  if (!hint_) communicator_->dispatcher().on_native_completed(event_, counts);
  event_.is_refused = !counts;
  on_operation_ended();
  return result;
}

collective::CallEvent Call::native_event() const {
  collective::CallEvent event = event_;
  event.dispatched = nullptr;  // its lifetime is that of this call
  event.ended_ns = 0;
  return event;
}

bool Call::prepare(const algorithm::Request& request) {
  is_root_ = request.root == rank();
  if (hint_)
    dispatched_.prepared = communicator_->dispatcher().prepare_hint(request, event_.interface, *hint_);
  else
    dispatched_ = communicator_->prepare(request, event_.interface, expected_starts_);
  event_.dispatched = &dispatched_;
  if (dispatched_.prepared.recorder != nullptr) use_trace_.emplace(request, *communicator_);
  const bool is_timed = dispatched_.is_open() || dispatched_.is_trial() || use_trace_;
  if (is_timed && event_.started_ns == 0) event_.started_ns = base::monotonic_ns();
  if (dispatched_.is_open()) request_.emplace(request);
  return !dispatched_.prepared.is_native() || dispatched_.is_open();
}

bool Call::refuse(int error) {
  result_ = error;
  is_served_ = true;
  PMPI_Comm_call_errhandler(communicator_->handle(), error);
  return true;
}

bool Call::refuse_missing_buffer() {
#ifdef OPEN_MPI
  return refuse(MPI_ERR_BUFFER);
#else
  return false;
#endif
}

bool Call::fail_locally(const base::Status& why) {
  if (is_persistent()) {
    communicator_->persistent_tags().skip(communicator_->handle());
    if (communicator_->counter() != nullptr) communicator_->counter()->next_stream();
  } else if (std::holds_alternative<collective::AgentCall>(dispatched_.prepared.work)) {
    static_cast<void>(communicator_->run(
        dispatched_.prepared, {.reducer = has_buffers() ? &buffers().reducer : nullptr}));  // without data
  } else {
    communicator_->skip_operations(dispatched_.prepared);
  }
  return finish(why);
}

bool Call::decide() {
  dispatched_.served_call = dispatched_.site->next_held_back();
  if (!dispatched_.served_call) return false;
  dispatched_.prepared = communicator_->dispatcher().prepare_candidate(request_->get(), *dispatched_.site,
                                                                       dispatched_.served_call->candidate);
  return true;
}

/// Decides what serves this start of a persistent collective.
void Call::ask_site() {
  if (dispatched_.site == nullptr) return;
  dispatched_.served_call = dispatched_.site->next_at_once();
  if (!dispatched_.served_call) return;
  event_.started_ns = base::monotonic_ns();
  dispatched_.prepared = communicator_->dispatcher().prepare_candidate(request_->get(), *dispatched_.site,
                                                                       dispatched_.served_call->candidate);
}

void Call::start_again() {
  result_ = MPI_SUCCESS;
  if (has_buffers()) buffers().reducer.start_again();
  if (is_observed_) begin();
  ask_site();
  loaded_ = load_();
}

void Call::end(base::Status status) {
  if (status && is_ours() && has_buffers()) status = loaded_ ? buffers().store() : loaded_;
  on_operation_ended();
  if (status.is_ok()) return;
  communicator_->runtime().log_verbose(std::string(algorithm::to_string(collective())) + ": " +
                                       status.message());
  result_ = error_code_of(status);
}

/// Returns before the operation has ended, if the program's buffers permit it.
bool Call::leave_early() {
  base::Status may_return = loaded_ ? communicator_->may_return_early() : loaded_;
  if (may_return && use_trace_)
    may_return = base::Status::not_supported("to see what the program uses first");
  const std::optional<base::Status> ended = EarlyReturnCall::begin(
      *communicator_, dispatched_.prepared, event_, bindings_, &early_buffers_, may_return);
  if (ended) {
    finish(*ended);
    if (result_ == MPI_SUCCESS && use_trace_) trace_uses();
    return true;
  }
  on_operation_ended();
  return true;
}

void Call::trace_uses() {
  if (early_buffers_->is_own(bindings_.output)) return;
  const base::Status traced = use_trace_->begin(*communicator_, event_, bindings_.output);
  if (!traced)
    communicator_->runtime().log_verbose("what the program uses first is not seen: " + traced.message());
}

bool Call::finish(base::Status status) {
  end(std::move(status));
  if (result_ != MPI_SUCCESS) PMPI_Comm_call_errhandler(communicator_->handle(), result_);
  return true;
}

Failure Call::failure() const {
  if (result_ == MPI_SUCCESS) return {};
  return {.communicator = is_ours() ? communicator_->keep() : nullptr, .code = result_};
}

void Call::begin() {
  event_.started_ns = base::monotonic_ns();
  event_.ended_ns = 0;
  communicator_->runtime().observers().begun(event_);
}

/// Times every call that Tutti serves, and native calls if their report line requests it.
void Call::begin_sampled(bool is_native) {
  if (is_native) {
    event_.line = communicator_->runtime().report()->native_line(
        collective(), event_.interface, collective::Report::size_class_of(event_.bytes, event_.bytes_known),
        event_.native_reason);
    if (!event_.line->is_next_timed()) return;
  }
  begin();
}

/// Called when the operation has ended on this rank, or has begun natively. The cost of a blocking call is the time
/// inside it.
void Call::on_operation_ended() {
  const bool is_trial = is_blocking() && dispatched_.is_trial();
  if (!is_observed_ && !is_trial) return;
  const bool is_measured = event_.started_ns != 0;
  if (is_measured) event_.ended_ns = base::monotonic_ns();
  if (is_observed_) communicator_->runtime().observers().ended(event_);
  if (is_blocking() && is_measured)
    complete({.start_ns = event_.ended_ns - event_.started_ns,
              .began_ns = event_.started_ns,
              .is_root = is_root_});
}

void Call::complete(const select::Sample& cost) {
  Runtime& runtime = communicator_->runtime();
  if (dispatched_.is_trial()) runtime.trial_observer().completed(event_, cost);
  if (is_observed_) runtime.observers().completed(event_, cost);
}

}  // namespace tutti::mpi
