// Entry points that start and free the requests of persistent collectives. All other calls on them are the MPI's own
// (ADR 7).

#include <mpi.h>

#include <utility>

#include "mpi/entry/pending_data.hpp"
#include "mpi/native/next_mpi.hpp"
#include "mpi/runtime/runtime.hpp"

using tutti::mpi::NativePersistent;
using tutti::mpi::PendingRequest;
using tutti::mpi::Runtime;
using tutti::mpi::settle_all_early_calls;

namespace {

TUTTI_NEXT_MPI(MPI_Start);
TUTTI_NEXT_MPI(MPI_Startall);
TUTTI_NEXT_MPI(MPI_Request_free);

/// nullptr: there is no request that Tutti serves.
Runtime* runtime_with_requests() {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr || runtime->requests().pending.is_empty() ? nullptr : runtime;
}

NativePersistent* native_persistent() {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr ? nullptr : &runtime->requests().native_persistent;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// The native request is started first: it has to be active when the operation ends.
int MPI_Start(MPI_Request* request) {
  settle_all_early_calls();
  NativePersistent::Start start(native_persistent(), 1, request);
  const int result = start.ended(next_MPI_Start(request));
  Runtime* const runtime = runtime_with_requests();
  return result == MPI_SUCCESS && runtime != nullptr ? runtime->requests().pending.start(*request) : result;
}

int MPI_Startall(int count, MPI_Request requests[]) {
  settle_all_early_calls();
  NativePersistent::Start start(native_persistent(), count, requests);
  int result = start.ended(next_MPI_Startall(count, requests));
  Runtime* const runtime = runtime_with_requests();
  if (result != MPI_SUCCESS || runtime == nullptr) return result;
  for (int i = 0; i < count; ++i)
    if (const int started = runtime->requests().pending.start(requests[i]); started != MPI_SUCCESS)
      result = started;
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  tutti::mpi::await_objects(request);
  if (NativePersistent* const known = native_persistent(); known != nullptr && request != nullptr)
    known->remove(*request);
  Runtime* const runtime = runtime_with_requests();
  PendingRequest* const freed = runtime != nullptr && request != nullptr
                                    ? runtime->requests().pending.take_persistent(*request)
                                    : nullptr;
  if (freed == nullptr) return next_MPI_Request_free(request);
  freed->free_native(std::exchange(*request, MPI_REQUEST_NULL));
  freed->release_hold();  // an active request is still held by its job
  return MPI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
