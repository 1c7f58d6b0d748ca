// Entry points that wait for requests or test them. Operations that Tutti serves have generalized requests, which the
// native calls accept; but a native call that waits would hold the MPI's lock while it polls and the progress thread
// needs it, and would not drive jobs that are left to the program's threads. So the caller waits here until Tutti's
// requests are complete, and then makes the native call. (MPICH's MPI_Waitall even refuses generalized requests that
// are not yet complete.) A thread that must drive does so here, whatever it waits for.

#include <span>

#include "mpi/call/error_delivery.hpp"
#include "mpi/entry/pending_data.hpp"
#include "mpi/native/next_mpi.hpp"
#include "mpi/progress/progress_engine.hpp"
#include "mpi/recorded_calls/waiting_call.hpp"
#include "mpi/runtime/runtime.hpp"
#include "mpi_versions.h"

using tutti::mpi::await_array;
using tutti::mpi::await_objects;
using tutti::mpi::DrivenWait;
using tutti::mpi::ErrorDelivery;
using tutti::mpi::NativeRequests;
using tutti::mpi::PendingRequests;
using tutti::mpi::Runtime;
using tutti::mpi::settle_for_functions_in_waits;

namespace {

TUTTI_NEXT_MPI(MPI_Wait);
TUTTI_NEXT_MPI(MPI_Waitall);
TUTTI_NEXT_MPI(MPI_Waitany);
TUTTI_NEXT_MPI(MPI_Waitsome);
TUTTI_NEXT_MPI(MPI_Test);
TUTTI_NEXT_MPI(MPI_Testall);
TUTTI_NEXT_MPI(MPI_Testany);
TUTTI_NEXT_MPI(MPI_Testsome);
TUTTI_NEXT_MPI(MPI_Request_get_status);
#ifdef MPICH_VERSION
TUTTI_NEXT_MPI(MPI_Request_get_status_all);
TUTTI_NEXT_MPI(MPI_Request_get_status_any);
TUTTI_NEXT_MPI(MPI_Request_get_status_some);
#endif

NativeRequests* natives() {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr ? nullptr : &runtime->requests().native;
}

PendingRequests* pending() {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr ? nullptr : &runtime->requests().pending;
}

/// nullptr: there is no request that Tutti serves, and nothing to drive.
Runtime* runtime_with_work() {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  return runtime->requests().pending.is_empty() && !runtime->progress().must_drive() ? nullptr : runtime;
}

void drive_once() {
  if (Runtime* const runtime = Runtime::get()) runtime->progress().drive();
}

bool has_ours(Runtime& runtime, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && runtime.requests().pending.contains(requests[i])) return true;
  return false;
}

void wait_for_ours(Runtime& runtime, int count, const MPI_Request* requests) {
  for (int i = 0; requests != nullptr && i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) runtime.requests().pending.wait(requests[i], runtime.progress());
}

/// Drives until all requests can complete at once. MPI_Testall cannot replace MPI_Waitall: in MPICH 4.0 it fails if
/// there are persistent collectives among the requests.
void drive_until_complete(Runtime& runtime, int count, const MPI_Request* requests) {
  runtime.progress().drive_until([&, first = 0]() mutable {
    for (int is_complete = 1; requests != nullptr && first < count; ++first)
      if (requests[first] != MPI_REQUEST_NULL &&
          PMPI_Request_get_status(requests[first], &is_complete, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
          is_complete == 0)
        return false;
    return true;
  });
}

/// Index of the completed request that a test has found.
int place(int result, const int* is_done, const int* index) {
  return result == MPI_SUCCESS && *is_done != 0 ? *index : MPI_UNDEFINED;
}

std::span<const int> places(int result, const int* done_count, const int* indices) {
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) return {};
  return *done_count <= 0 ? std::span<const int>() : std::span(indices, static_cast<size_t>(*done_count));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  settle_for_functions_in_waits();
  await_objects(request, status);
  const NativeRequests::Watch watch(natives(), 1, request, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr || request == nullptr) return next_MPI_Wait(request, status);
  const DrivenWait waiting(*runtime, "MPI_Wait", 1, request);
  ErrorDelivery delivery(pending(), 1, request);
  wait_for_ours(*runtime, 1, request);
  if (runtime->progress().must_drive()) drive_until_complete(*runtime, 1, request);
  return delivery.one(next_MPI_Wait(request, status), 0);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  settle_for_functions_in_waits();
  await_array(requests, count);
  await_array(statuses, count);
  const NativeRequests::Watch watch(natives(), count, requests, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr) return next_MPI_Waitall(count, requests, statuses);
  const DrivenWait waiting(*runtime, "MPI_Waitall", count, requests);
  ErrorDelivery delivery(pending(), count, requests);
  wait_for_ours(*runtime, count, requests);
  if (runtime->progress().must_drive()) drive_until_complete(*runtime, count, requests);
  return delivery.all(next_MPI_Waitall(count, requests, statuses), statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  settle_for_functions_in_waits();
  await_objects(index, status);
  await_array(requests, count);
  const NativeRequests::Watch watch(natives(), count, requests, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr || requests == nullptr ||
      !(runtime->progress().must_drive() || has_ours(*runtime, count, requests)))
    return next_MPI_Waitany(count, requests, index, status);
  const DrivenWait waiting(*runtime, "MPI_Waitany", count, requests);
  ErrorDelivery delivery(pending(), count, requests);
  int result = MPI_SUCCESS, is_done = 0;
  runtime->progress().drive_until([&] {
    result = PMPI_Testany(count, requests, index, &is_done, status);
    return result != MPI_SUCCESS || is_done != 0;
  });
  return delivery.one(result, place(result, &is_done, index));
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done_count, int indices[], MPI_Status statuses[]) {
  settle_for_functions_in_waits();
  await_objects(done_count);
  await_array(requests, count);
  await_array(indices, count);
  await_array(statuses, count);
  const NativeRequests::Watch watch(natives(), count, requests, true);
  Runtime* const runtime = runtime_with_work();
  if (runtime == nullptr || requests == nullptr ||
      !(runtime->progress().must_drive() || has_ours(*runtime, count, requests)))
    return next_MPI_Waitsome(count, requests, done_count, indices, statuses);
  const DrivenWait waiting(*runtime, "MPI_Waitsome", count, requests);
  ErrorDelivery delivery(pending(), count, requests);
  int result = MPI_SUCCESS;
  runtime->progress().drive_until([&] {
    result = PMPI_Testsome(count, requests, done_count, indices, statuses);
    return result != MPI_SUCCESS || *done_count != 0;
  });
  return delivery.some(result, places(result, done_count, indices), statuses);
}

int MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  settle_for_functions_in_waits();
  await_objects(request, is_done, status);
  const NativeRequests::Watch watch(natives(), 1, request, false);
  drive_once();
  ErrorDelivery delivery(pending(), 1, request);
  const int result = next_MPI_Test(request, is_done, status);
  constexpr int k_first = 0;
  return delivery.one(result, place(result, is_done, &k_first));
}

int MPI_Testall(int count, MPI_Request requests[], int* are_done, MPI_Status statuses[]) {
  settle_for_functions_in_waits();
  await_objects(are_done);
  await_array(requests, count);
  await_array(statuses, count);
  const NativeRequests::Watch watch(natives(), count, requests, false);
  drive_once();
  ErrorDelivery delivery(pending(), count, requests);
  const int result = next_MPI_Testall(count, requests, are_done, statuses);
  const bool have_ended = result == MPI_ERR_IN_STATUS || (result == MPI_SUCCESS && *are_done != 0);
  return have_ended ? delivery.all(result, statuses) : result;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* is_done, MPI_Status* status) {
  settle_for_functions_in_waits();
  await_objects(index, is_done, status);
  await_array(requests, count);
  const NativeRequests::Watch watch(natives(), count, requests, false);
  drive_once();
  ErrorDelivery delivery(pending(), count, requests);
  const int result = next_MPI_Testany(count, requests, index, is_done, status);
  return delivery.one(result, place(result, is_done, index));
}

int MPI_Testsome(int count, MPI_Request requests[], int* done_count, int indices[], MPI_Status statuses[]) {
  settle_for_functions_in_waits();
  await_objects(done_count);
  await_array(requests, count);
  await_array(indices, count);
  await_array(statuses, count);
  const NativeRequests::Watch watch(natives(), count, requests, false);
  drive_once();
  ErrorDelivery delivery(pending(), count, requests);
  const int result = next_MPI_Testsome(count, requests, done_count, indices, statuses);
  return delivery.some(result, places(result, done_count, indices), statuses);
}

int MPI_Request_get_status(MPI_Request request, int* is_done, MPI_Status* status) {
  settle_for_functions_in_waits();
  await_objects(is_done, status);
  drive_once();
  const ErrorDelivery looking(pending(), 1, &request);  // raises no error: the call completes no request
  return next_MPI_Request_get_status(request, is_done, status);
}

#ifdef MPICH_VERSION

int MPI_Request_get_status_all(int count, MPI_Request requests[], int* are_done, MPI_Status* statuses) {
  settle_for_functions_in_waits();
  await_objects(are_done);
  await_array(requests, count);
  await_array(statuses, count);
  drive_once();
  const ErrorDelivery looking(pending(), count, requests);
  return next_MPI_Request_get_status_all(count, requests, are_done, statuses);
}

int MPI_Request_get_status_any(int count, MPI_Request requests[], int* index, int* is_done,
                               MPI_Status* status) {
  settle_for_functions_in_waits();
  await_objects(index, is_done, status);
  await_array(requests, count);
  drive_once();
  const ErrorDelivery looking(pending(), count, requests);
  return next_MPI_Request_get_status_any(count, requests, index, is_done, status);
}

int MPI_Request_get_status_some(int count, MPI_Request requests[], int* done_count, int indices[],
                                MPI_Status* statuses) {
  settle_for_functions_in_waits();
  await_objects(done_count);
  await_array(requests, count);
  await_array(indices, count);
  await_array(statuses, count);
  drive_once();
  const ErrorDelivery looking(pending(), count, requests);
  return next_MPI_Request_get_status_some(count, requests, done_count, indices, statuses);
}

#endif

}  // extern "C"
#pragma GCC visibility pop
