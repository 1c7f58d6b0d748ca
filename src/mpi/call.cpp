#include "mpi/call.hpp"

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
  return communicator_->rules().is_native(collective_, bytes, is_known, kind_);
}

bool Call::prepare(const algorithm::Request& request) {
  prepared_ = communicator_->prepare(request, kind_);
  return prepared_.plan != nullptr;
}

bool Call::finish(base::Status status) {
  if (status && buffers_) status = buffers_->store();
  if (prepared_.line != nullptr) prepared_.line->add(bytes_, now_ns() - started_ns_);
  if (status.is_ok()) return true;
  communicator_->runtime().say_if_verbose(std::string(algorithm::to_string(collective_)) + ": " +
                                          status.message());
  const int code = error_code_of(status);
  PMPI_Comm_call_errhandler(communicator_->handle(), code);
  result_ = code;
  return true;
}

void Call::record_native() {
  ReportLine* line = prepared_.line;
  if (line == nullptr) line = report_->native_line(collective_, Report::size_class_of(bytes_, bytes_known_));
  line->add(bytes_, now_ns() - started_ns_);
}

}  // namespace tutti::mpi
