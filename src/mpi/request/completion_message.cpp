#include "mpi/request/completion_message.hpp"

namespace tutti::mpi {

using base::Status;

Status CompletionChannel::open() {
  if (const int code = PMPI_Comm_dup(MPI_COMM_SELF, &comm_); code != MPI_SUCCESS)
    return {base::Code::mpi, "MPI_COMM_SELF cannot be duplicated", code};
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return {};
}

void CompletionChannel::close() {
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

int CompletionChannel::take_tag() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return next_++;
  const int tag = free_.back();
  free_.pop_back();
  return tag;
}

void CompletionChannel::give_back(int tag) {
  const std::lock_guard lock(mutex_);
  free_.push_back(tag);
}

CompletionMessage::~CompletionMessage() {
  if (tag_ >= 0) channel_.give_back(tag_);
}

Status CompletionMessage::make(MPI_Request* request) {
  tag_ = channel_.take_tag();
  const int code = PMPI_Recv_init(&nothing_, 0, MPI_BYTE, 0, tag_, channel_.comm(), request);
  return code == MPI_SUCCESS ? Status{} : Status{base::Code::mpi, "no persistent request", code};
}

#ifdef MPICH_VERSION
namespace {

int fill_in(void*, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int release(void*) {
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  return MPI_SUCCESS;
}

/// A thread in PMPI_Wait() or PMPI_Waitall() checks its requests again only after progress. A message of the process to
/// itself does not count as progress, but the end of a generalized request does.
void rouse_waiting_threads() {
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Grequest_start(fill_in, release, cancel, nullptr, &request) != MPI_SUCCESS) return;
  PMPI_Grequest_complete(request);
  PMPI_Request_free(&request);
}

}  // namespace
#endif

void CompletionMessage::send() {
  PMPI_Send(&nothing_, 0, MPI_BYTE, 0, tag_, channel_.comm());
#ifdef MPICH_VERSION
  rouse_waiting_threads();
#endif
}

}  // namespace tutti::mpi
