#include "mpi/request/end_message.hpp"

namespace tutti::mpi {

using base::Status;

Status EndChannel::open() {
  if (const int code = PMPI_Comm_dup(MPI_COMM_SELF, &comm_); code != MPI_SUCCESS)
    return {base::Code::mpi, "MPI_COMM_SELF cannot be duplicated", code};
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return {};
}

void EndChannel::close() {
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

int EndChannel::take_tag() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return next_++;
  const int tag = free_.back();
  free_.pop_back();
  return tag;
}

void EndChannel::give_back(int tag) {
  const std::lock_guard lock(mutex_);
  free_.push_back(tag);
}

EndMessage::~EndMessage() {
  if (tag_ >= 0) channel_.give_back(tag_);
}

Status EndMessage::make(MPI_Request* request) {
  tag_ = channel_.take_tag();
  const int code = PMPI_Recv_init(&nothing_, 0, MPI_BYTE, 0, tag_, channel_.comm(), request);
  return code == MPI_SUCCESS ? Status{} : Status{base::Code::mpi, "no persistent request", code};
}

void EndMessage::send() {
  PMPI_Send(&nothing_, 0, MPI_BYTE, 0, tag_, channel_.comm());
}

}  // namespace tutti::mpi
