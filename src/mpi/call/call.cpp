#include "mpi/call/call.hpp"

#include <utility>

#include "base/clock.hpp"
#include "mpi/call/early_call.hpp"
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
      !hint_ && communicator_->decisions().goes_native(collective(), bytes, is_known, event_.interface,
                                                       &event_.native_reason);
  if (is_observed_ && is_blocking() && event_.started_ns == 0) begin_sampled(is_native);
  return is_native;
}

int Call::native(int result) {
  const bool counts = has_taken_place(result);
  if (counts) communicator_->count_call();
  if (!hint_) communicator_->decisions().native_is_over(event_, counts);
  event_.is_refused = !counts;
  over();
  return result;
}

dispatch::CallEvent Call::native_event() const {
  dispatch::CallEvent event = event_;
  event.answer = nullptr;  // its lifetime is that of this call
  event.ended_ns = 0;
  return event;
}

bool Call::prepare(const algorithm::Request& request) {
  is_root_ = request.root == rank();
  if (hint_)
    answer_.prepared = communicator_->decisions().prepare_hint(request, event_.interface, *hint_);
  else
    answer_ = communicator_->prepare(request, event_.interface, expected_starts_);
  event_.answer = &answer_;
  if (answer_.prepared.recorder != nullptr) use_trace_.emplace(request, *communicator_);
  const bool is_timed = answer_.is_open() || answer_.is_trial() || use_trace_;
  if (is_timed && event_.started_ns == 0) event_.started_ns = base::monotonic_ns();
  if (answer_.is_open()) request_.emplace(request);
  return !answer_.prepared.is_native() || answer_.is_open();
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

bool Call::give_up(const base::Status& why) {
  if (is_persistent()) {
    communicator_->persistent_tags().skip(communicator_->handle());
    if (communicator_->track() != nullptr) communicator_->track()->next_stream();
  } else if (answer_.prepared.agents) {
    static_cast<void>(communicator_->run(
        answer_.prepared, {.reducer = has_buffers() ? &buffers().reducer : nullptr}));  // without data
  } else {
    communicator_->pass_over(answer_.prepared);
  }
  return finish(why);
}

bool Call::decide() {
  answer_.turn = answer_.site->next_held_back();
  if (!answer_.turn) return false;
  answer_.prepared =
      communicator_->decisions().prepare_candidate(request_->get(), *answer_.site, answer_.turn->candidate);
  return true;
}

/// Decides what serves this start of a persistent collective.
void Call::ask_site() {
  if (answer_.site == nullptr) return;
  answer_.turn = answer_.site->next_at_once();
  if (!answer_.turn) return;
  event_.started_ns = base::monotonic_ns();
  answer_.prepared =
      communicator_->decisions().prepare_candidate(request_->get(), *answer_.site, answer_.turn->candidate);
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
  over();
  if (status.is_ok()) return;
  communicator_->runtime().say_if_verbose(std::string(algorithm::to_string(collective())) + ": " +
                                          status.message());
  result_ = error_code_of(status);
}

/// Returns before the operation has ended, if the program's buffers permit it.
bool Call::leave_early() {
  base::Status may_return = loaded_ ? communicator_->may_return_early() : loaded_;
  if (may_return && use_trace_)
    may_return = base::Status::not_supported("to see what the program uses first");
  const std::optional<base::Status> ended =
      EarlyCall::begin(*communicator_, answer_.prepared, event_, bindings_, &early_buffers_, may_return);
  if (ended) {
    finish(*ended);
    if (result_ == MPI_SUCCESS && use_trace_) trace_uses();
    return true;
  }
  over();
  return true;
}

void Call::trace_uses() {
  if (early_buffers_->is_own(bindings_.output)) return;
  const base::Status traced = use_trace_->begin(*communicator_, event_, bindings_.output);
  if (!traced)
    communicator_->runtime().say_if_verbose("what the program uses first is not seen: " + traced.message());
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
        collective(), event_.interface, dispatch::Report::size_class_of(event_.bytes, event_.bytes_known),
        event_.native_reason);
    if (!event_.line->is_next_timed()) return;
  }
  begin();
}

/// Called when the operation has ended on this rank, or has begun natively. The cost of a blocking call is the time
/// inside it.
void Call::over() {
  const bool is_trial = is_blocking() && answer_.is_trial();
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
  if (answer_.is_trial()) runtime.trial_observer().completed(event_, cost);
  if (is_observed_) runtime.observers().completed(event_, cost);
}

}  // namespace tutti::mpi
