#pragma once
// What the generated entry points of collectives do: blocking, nonblocking and persistent (MPI 4.0, chapter 6).

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "actors/calls/collective_request.hpp"
#include "actors/calls/rank.hpp"
#include "collective/mpi/arguments/collectives.hpp"

namespace tutti::actors {

/// `fill(call)` passes the arguments to the function of collective/mpi/arguments; a nonblocking call has those of the
/// blocking one. Returns an error class. Errors in one rank's arguments end the job by default, because the others wait
/// for it.
template <class Fill>
int fill_and_start(CollectiveRequest& call, Fill& fill) {
  fill(call);
  if (call.error() == MPI_SUCCESS) return call.start();
  call.skip_operation();  // the error may be this rank's alone
  return call.error();
}

template <class Fill>
int blocking(Rank& me, MPI_Comm comm, algorithm::Collective collective, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  CollectiveRequest call(me, *on, collective);
  if (const int code = fill_and_start(call, fill); code != MPI_SUCCESS) return me.result(on, code);
  if (!call.is_done()) me.wait_until([&call] { return call.is_done(); });
  MPI_Status status;
  return me.result(on, call.finish(&status));
}

template <class Fill>
int nonblocking(Rank& me, MPI_Comm comm, MPI_Request* request, algorithm::Collective collective, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto call = std::make_unique<CollectiveRequest>(me, *on, collective);
  call->outlives_call = true;
  if (const int code = fill_and_start(*call, fill); code != MPI_SUCCESS) return me.result(on, code);
  *request = me.give(std::move(call));
  return MPI_SUCCESS;
}

template <class Fill>
int persistent(Rank& me, MPI_Comm comm, MPI_Request* request, algorithm::Collective collective, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto call = std::make_unique<CollectiveRequest>(me, *on, collective);
  call->outlives_call = true;
  call->make_persistent();
  fill(*call);
  if (call->error() != MPI_SUCCESS) return me.result(on, call->error());
  *request = me.give(std::move(call));
  return MPI_SUCCESS;
}

/// The native datatypes of an array; empty if there is no separate buffer.
inline std::vector<MPI_Datatype> native(const CollectiveRequest& call, const void* buffer,
                                        const MPI_Datatype* types) {
  std::vector<MPI_Datatype> found;
  if (buffer == MPI_IN_PLACE || types == nullptr) return found;
  for (int r = 0; r < call.size(); ++r) found.push_back(call.owner().native(types[r]));
  return found;
}

}  // namespace tutti::actors
