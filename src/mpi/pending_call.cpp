#include "mpi/pending_call.hpp"

#include <utility>

#include "mpi/runtime.hpp"

namespace tutti::mpi {

bool serves_nonblocking(MPI_Comm comm) {
  Runtime* runtime = Runtime::get();
  return runtime != nullptr && runtime->has_progress() && runtime->communicators().find(comm) != nullptr;
}

int count_native(MPI_Comm comm, int result) {
  Runtime* runtime = Runtime::get();
  if (runtime == nullptr || result != MPI_SUCCESS) return result;
  if (Communicator* communicator = runtime->communicators().find(comm)) communicator->count_call();
  return result;
}

int PendingCall::begin(std::unique_ptr<PendingCall> pending, MPI_Request* request) {
  if (pending->call_.result() != MPI_SUCCESS) return pending->call_.result();  // the error handler knows
  PendingCall* const mine = pending.get();
  const int code = PMPI_Grequest_start(query, free, cancel, mine, &mine->request_);
  if (code != MPI_SUCCESS) return code;
  *request = mine->request_;
  mine->hold();  // the job; the request is the first to hold it
  mine->call_.communicator().runtime().requests().insert(mine->request_, mine);
  pending.release()->call_.communicator().hand_over(mine, *mine->call_.prepared().plan,
                                                    mine->call_.bindings());
  return MPI_SUCCESS;
}

void PendingCall::ended(const base::Status& status) {
  call_.finish(status);
  call_.communicator().job_ended();
  PMPI_Grequest_complete(request_);
  end().set();
  let_go();
}

int PendingCall::query(void* pending, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return static_cast<PendingCall*>(pending)->call_.result();
}

int PendingCall::free(void* pending) {
  auto* const mine = static_cast<PendingCall*>(pending);
  if (Runtime* runtime = Runtime::get()) runtime->requests().erase(mine->request_);
  mine->let_go();
  return MPI_SUCCESS;
}

/// MPI does not let nonblocking collectives be cancelled.
int PendingCall::cancel(void*, int is_complete) {
  return is_complete ? MPI_SUCCESS : MPI_ERR_REQUEST;
}

}  // namespace tutti::mpi
