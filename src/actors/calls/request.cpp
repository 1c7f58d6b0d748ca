#include "actors/calls/request.hpp"

#include <utility>

#include "actors/calls/communicator.hpp"

namespace tutti::actors {

Request::Request(Rank& owner, Communicator* communicator) : owner_(owner), communicator_(communicator) {
  if (communicator_ != nullptr) communicator_->hold();
}

Request::~Request() {
  if (communicator_ != nullptr) communicator_->release();
}

int Request::finish_once(MPI_Status* status) {
  if (!is_finished_) {
    code_ = finish(status);
    status_ = *status;
    is_finished_ = true;
    return code_;
  }
  const int error = status->MPI_ERROR;  // set by calls for several requests only
  *status = status_;
  status->MPI_ERROR = error;
  return code_;
}

MatchedMessage::MatchedMessage(Communicator& on, std::unique_ptr<TakenMessage> message)
    : communicator(on), taken(std::move(message)) {
  communicator.hold();
}

MatchedMessage::~MatchedMessage() {
  communicator.release();
}

void set_empty(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
}

void set_no_process(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  set_empty(status);
  status->MPI_SOURCE = MPI_PROC_NULL;
}

}  // namespace tutti::actors
