// The completion calls that wait. What Tutti serves is a generalized request, which the native call
// understands; but that would poll with the MPI's lock in its hand while the progress thread needs it. So the
// caller waits here until the thread is through, then lets the native call do the rest. (MPICH's MPI_Waitall
// even refuses generalized requests that are not complete yet.) Calls that only test go straight to the MPI.

#include <mpi.h>

#include "mpi/runtime.hpp"

using tutti::mpi::NativeTrials;
using tutti::mpi::Runtime;

namespace {

/// nullptr: no request of ours is about.
Runtime* runtime_with_requests() {
  Runtime* runtime = Runtime::get();
  return runtime == nullptr || runtime->requests().is_empty() ? nullptr : runtime;
}

bool has_ours(Runtime& runtime, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && runtime.requests().contains(requests[i])) return true;
  return false;
}

tutti::engine::Waiter waiter_of(const Runtime& runtime) {
  return tutti::engine::Waiter(runtime.wait_policy(), runtime.ranks_on_machine());
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const NativeTrials::Watch watch(1, request, true);
  Runtime* const runtime = runtime_with_requests();
  if (runtime != nullptr && request != nullptr && *request != MPI_REQUEST_NULL)
    runtime->requests().wait(*request, runtime->wait_policy());
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const NativeTrials::Watch watch(count, requests, true);
  Runtime* const runtime = runtime_with_requests();
  for (int i = 0; runtime != nullptr && requests != nullptr && i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) runtime->requests().wait(requests[i], runtime->wait_policy());
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const NativeTrials::Watch watch(count, requests, true);
  Runtime* const runtime = runtime_with_requests();
  if (runtime == nullptr || requests == nullptr || !has_ours(*runtime, count, requests))
    return PMPI_Waitany(count, requests, index, status);
  tutti::engine::Waiter waiter = waiter_of(*runtime);
  for (;;) {
    int is_done = 0;
    const int result = PMPI_Testany(count, requests, index, &is_done, status);
    if (result != MPI_SUCCESS || is_done) return result;
    waiter.idle();
  }
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done_count, int indices[], MPI_Status statuses[]) {
  const NativeTrials::Watch watch(count, requests, true);
  Runtime* const runtime = runtime_with_requests();
  if (runtime == nullptr || requests == nullptr || !has_ours(*runtime, count, requests))
    return PMPI_Waitsome(count, requests, done_count, indices, statuses);
  tutti::engine::Waiter waiter = waiter_of(*runtime);
  for (;;) {
    const int result = PMPI_Testsome(count, requests, done_count, indices, statuses);
    if (result != MPI_SUCCESS || *done_count != 0) return result;
    waiter.idle();
  }
}

}  // extern "C"
#pragma GCC visibility pop
