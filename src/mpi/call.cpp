#include "mpi/call.hpp"

#include <utility>

#include "select/selector.hpp"

namespace tutti::mpi {

namespace {

/// An MPI error code that says what the status says as nearly as MPI can.
int error_code_of(const base::Status& status) {
  switch (status.code()) {
    case base::Code::mpi:
      return status.native();
    case base::Code::out_of_memory:
      return MPI_ERR_NO_MEM;
    case base::Code::invalid_argument:  // once a call runs: two sides of a message differ in length
      return MPI_ERR_TRUNCATE;
    default:
      return MPI_ERR_INTERN;
  }
}

}  // namespace

bool Call::goes_native(uint64_t bytes, bool is_known) {
  bytes_ = bytes;
  bytes_known_ = is_known;
  return !wish_ && communicator_->goes_native(collective_, bytes, is_known, kind_);
}

bool Call::prepare(const algorithm::Request& request) {
  if (wish_)
    answer_.prepared = communicator_->prepare_wish(request, kind_, *wish_);
  else
    answer_ = communicator_->prepare(request, kind_, expected_starts_);
  const bool is_timed = answer_.is_open() || (answer_.turn && answer_.turn->is_trial);
  if (is_timed && started_ns_ == 0) started_ns_ = base::monotonic_ns();
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
  if (is_persistent())
    communicator_->persistent_tags().skip(communicator_->handle());
  else
    communicator_->count_call();
  return finish(why);
}

bool Call::decide() {
  answer_.turn = answer_.site->next_held();
  if (!answer_.turn) return false;
  answer_.prepared =
      communicator_->prepare_candidate(request_->get(), *answer_.site, answer_.turn->candidate);
  return true;
}

/// Who serves the start of a persistent collective.
void Call::ask_site() {
  if (answer_.site == nullptr) return;
  answer_.turn = answer_.site->next_at_once();
  if (!answer_.turn) return;
  started_ns_ = base::monotonic_ns();
  answer_.prepared =
      communicator_->prepare_candidate(request_->get(), *answer_.site, answer_.turn->candidate);
}

void Call::start_again() {
  result_ = MPI_SUCCESS;
  if (report_ != nullptr) started_ns_ = base::monotonic_ns();
  ask_site();
  loaded_ = load_();
}

void Call::end(base::Status status) {
  if (status && is_ours() && buffers_) status = loaded_ ? buffers_->store() : loaded_;
  if (answer_.prepared.line != nullptr)
    answer_.prepared.line->add(bytes_, base::monotonic_ns() - started_ns_);
  if (answer_.turn && is_blocking()) end_turn();
  if (status.is_ok()) return;
  communicator_->runtime().say_if_verbose(std::string(algorithm::to_string(collective_)) + ": " +
                                          status.message());
  result_ = error_code_of(status);
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

void Call::record_native() {
  ReportLine* line = answer_.prepared.line;
  if (line == nullptr)
    line = report_->native_line(collective_, kind_, Report::size_class_of(bytes_, bytes_known_));
  line->add(bytes_, base::monotonic_ns() - started_ns_);
}

/// What a blocking call costs is the time inside it.
void Call::end_turn() {
  if (answer_.turn->is_trial)
    answer_.site->end(*answer_.turn, {.start_ns = base::monotonic_ns() - started_ns_});
}

}  // namespace tutti::mpi
