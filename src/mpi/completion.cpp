// The calls that wait for requests or test them. What Tutti serves is a generalized request, which the native
// calls understand; but a native call that waits would poll with the MPI's lock in its hand while the
// progress thread needs it, and would not drive what is left to the program's own threads. So the caller
// waits here until ours are through, then lets the native call do the rest. (MPICH's MPI_Waitall even refuses
// generalized requests that are not complete yet.) Whoever must drive does so here, whatever he waits for.

#include <mpi.h>

#include "mpi/drivers.hpp"
#include "mpi/runtime.hpp"

using tutti::mpi::NativeTrials;
using tutti::mpi::Runtime;

namespace {

/// nullptr: no request of ours is about, and there is nothing to drive.
Runtime* runtime_with_work() {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  return runtime->requests().is_empty() && !runtime->drivers().must_drive() ? nullptr : runtime;
}

void drive_once() {
  if (Runtime* const runtime = Runtime::get()) runtime->drivers().drive();
}

bool has_ours(Runtime& runtime, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && runtime.requests().contains(requests[i])) return true;
  return false;
}

void wait_for_ours(Runtime& runtime, int count, const MPI_Request* requests) {
  for (int i = 0; requests != nullptr && i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) runtime.requests().wait(requests[i], runtime.drivers());
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const NativeTrials::Watch watch(1, request, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr || request == nullptr) return PMPI_Wait(request, status);
  wait_for_ours(*runtime, 1, request);
  if (!runtime->drivers().must_drive()) return PMPI_Wait(request, status);
  int result = MPI_SUCCESS;
  runtime->drivers().drive_until([&] {
    int is_done = 0;
    result = PMPI_Test(request, &is_done, status);
    return result != MPI_SUCCESS || is_done != 0;
  });
  return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const NativeTrials::Watch watch(count, requests, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr) return PMPI_Waitall(count, requests, statuses);
  wait_for_ours(*runtime, count, requests);
  if (!runtime->drivers().must_drive()) return PMPI_Waitall(count, requests, statuses);
  int result = MPI_SUCCESS;
  runtime->drivers().drive_until([&] {
    int is_done = 0;
    result = PMPI_Testall(count, requests, &is_done, statuses);
    return result != MPI_SUCCESS || is_done != 0;
  });
  return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const NativeTrials::Watch watch(count, requests, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr || requests == nullptr ||
      !(runtime->drivers().must_drive() || has_ours(*runtime, count, requests)))
    return PMPI_Waitany(count, requests, index, status);
  int result = MPI_SUCCESS;
  runtime->drivers().drive_until([&] {
    int is_done = 0;
    result = PMPI_Testany(count, requests, index, &is_done, status);
    return result != MPI_SUCCESS || is_done != 0;
  });
  return result;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done_count, int indices[], MPI_Status statuses[]) {
  const NativeTrials::Watch watch(count, requests, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr || requests == nullptr ||
      !(runtime->drivers().must_drive() || has_ours(*runtime, count, requests)))
    return PMPI_Waitsome(count, requests, done_count, indices, statuses);
  int result = MPI_SUCCESS;
  runtime->drivers().drive_until([&] {
    result = PMPI_Testsome(count, requests, done_count, indices, statuses);
    return result != MPI_SUCCESS || *done_count != 0;
  });
  return result;
}

int MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  const NativeTrials::Watch watch(1, request, false);
  drive_once();
  return PMPI_Test(request, is_done, status);
}

int MPI_Testall(int count, MPI_Request requests[], int* are_done, MPI_Status statuses[]) {
  const NativeTrials::Watch watch(count, requests, false);
  drive_once();
  return PMPI_Testall(count, requests, are_done, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* is_done, MPI_Status* status) {
  const NativeTrials::Watch watch(count, requests, false);
  drive_once();
  return PMPI_Testany(count, requests, index, is_done, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int* done_count, int indices[], MPI_Status statuses[]) {
  const NativeTrials::Watch watch(count, requests, false);
  drive_once();
  return PMPI_Testsome(count, requests, done_count, indices, statuses);
}

int MPI_Request_get_status(MPI_Request request, int* is_done, MPI_Status* status) {
  drive_once();
  return PMPI_Request_get_status(request, is_done, status);
}

}  // extern "C"
#pragma GCC visibility pop
