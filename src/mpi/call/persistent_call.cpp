#include "mpi/call/persistent_call.hpp"

#include <utility>

#include "base/clock.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

Communicator* serves_persistent(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  const bool is_able =
      runtime != nullptr && runtime->progress().is_serving() && runtime->requests().can_restart;
  return is_able ? runtime->communicators().find(comm) : nullptr;
}

int count_native_init(MPI_Comm comm, int result) {
  Communicator* const communicator = serves_persistent(comm);
  if (communicator != nullptr && result == MPI_SUCCESS) communicator->persistent_tags().skip(comm);
  return result;
}

int went_native(Collective collective, MPI_Comm comm, const void* caller, const MPI_Request* request,
                int result) {
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && result == MPI_SUCCESS && !runtime->observers().is_empty())
    runtime->requests().native_persistent.add(
        *request, {.collective = collective,
                   .interface = CallInterface::persistent,
                   .passes_through = true,
                   .caller = caller,
                   .counter = runtime->record().counter_of_request(counter_of(*runtime, comm))});
  return count_native_init(comm, result);
}

PersistentCall::~PersistentCall() {
  if (!number_) return;
  call_.communicator().persistent_tags().give_back(*number_);
  engine_.reset();
  network_.reset();
  call_.communicator().release();
}

bool PersistentCall::make_ready() {
  Communicator& communicator = call_.communicator();
  number_ = communicator.persistent_tags().take(communicator.handle());
  if (!number_) return false;
  communicator.hold();
  Runtime& runtime = communicator.runtime();
  call_.set_counter(runtime.record().counter_of_request(communicator.counter()));
  network_ = runtime.make_endpoint(transport::Space::operations, communicator.world_ranks());
  engine_.emplace(engine::Ports{.networks = {network_.get()}, .local = network_.get()},
                  runtime.options().wait_policy, runtime.options().cpu_share);
  end().set();  // the request is inactive
  engine = &*engine_;
  plan = call_.dispatched().prepared.plan();
  bindings = call_.bindings();
  bindings.tag = communicator.persistent_tag(*number_);
  return true;
}

bool PersistentCall::begin(std::unique_ptr<PersistentCall> made, MPI_Request* request, int* result) {
  PersistentCall& mine = *made;
  *result = mine.call_.result();
  if (*result != MPI_SUCCESS) return true;  // the error handler has been called
  if (!mine.make_ready()) return false;
  Runtime& runtime = mine.call_.communicator().runtime();
  mine.completion_message_.emplace(runtime.requests().completions);
  if (const base::Status status = mine.completion_message_->make(request); !status) {
    mine.call_.finish(status);
    *result = mine.call_.result();
    return true;
  }
  runtime.requests().pending.insert(*request, made.release());
  return true;
}

int PersistentCall::restart() {
  hold();  // for the job
  begin_operation();
  is_first_over_.store(false, std::memory_order_relaxed);
  failure_.reset();
  times_ = {.started_ns = base::monotonic_ns()};
  call_.start_again();
  const collective::DispatchedCall& dispatched = call_.dispatched();
  is_timed_ = call_.is_observed() || dispatched.is_open() || dispatched.is_trial();
  if (!dispatched.is_open()) plan = dispatched.prepared.plan();
  const bool is_hinted = mode_ != select::ProgressMode::automatic;
  ProgressEngine& progress = call_.communicator().runtime().progress();
  progress.driver_for(is_hinted ? mode_ : dispatched.prepared.execution.mode).submit(this);
  progress.drive();  // starts a job that the in-call driver got
  times_.returned_ns = base::monotonic_ns();
  return MPI_SUCCESS;
}

bool PersistentCall::is_ready() {
  if (!call_.dispatched().is_open()) return true;
  if (!call_.decide()) return false;
  plan = call_.dispatched().prepared.plan();
  return true;
}

base::Result<engine::Operation*> PersistentCall::start() {
  if (plan != nullptr) return Job::start();
  return call_.dispatched().prepared.status();
}

/// Ends the timing, because only now the time at which the program continues is known.
void PersistentCall::waited() {
  if (!std::exchange(is_timed_, false)) return;
  times_.awaited_ns = awaited_ns();
  call_.complete(times_.sample(base::monotonic_ns()));
}

void PersistentCall::ended(const base::Status& status) {
  call_.end(status);
  if (completion_message_ && call_.result() != MPI_SUCCESS) {
    failure_ = call_.failure();
    call_.communicator().runtime().requests().pending.note_failure();
  }
  tell();
}

void PersistentCall::tell() {
  // Read first: the program may start the request again as soon as the MPI completes it.
  engine::Signal& end_of_turn = end();
  const bool is_freed = comes_second();
  if (completion_message_) completion_message_->send();
  end_of_turn.set();
  if (is_freed) free_inactive();
  release_hold();
}

void PersistentCall::free_native(MPI_Request request) {
  freed_ = request;
  if (comes_second()) free_inactive();
}

void PersistentCall::free_inactive() {
  PMPI_Wait(&freed_, MPI_STATUS_IGNORE);  // for the end message, which has been sent
  PMPI_Request_free(&freed_);
}

}  // namespace tutti::mpi
