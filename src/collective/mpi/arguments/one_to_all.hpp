#pragma once
// Barrier and broadcast.

#include "collective/mpi/arguments/sides.hpp"

namespace tutti::mpi::arguments {

template <class Call>
bool barrier(Call& call) {
  if (call.goes_native(0) || !call.prepare(call.request())) return false;
  return call.carry_out(
      {}, [] { return Status(); }, nullptr, nullptr);
}

template <class Call>
bool bcast(Call& call, void* buffer, int64_t count, MPI_Datatype datatype, int root) {
  Side message;
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  if (!message.describe(count, datatype)) return call.decline(message.error());
  if (call.goes_native(message.bytes)) return false;
  if (buffer == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (message.is_missing(buffer)) return call.refuse_missing_buffer();
  algorithm::Request request = call.request();
  request.root = root;
  request.bytes = message.bytes;
  if (!call.prepare(request)) return false;

  const bool is_root = call.rank() == root;
  // The root only reads its buffer; the other ranks only write theirs.
  BoundMessage& all = is_root ? call.buffers().input : call.buffers().output;
  const Status bound = all.bind(Slot::output, buffer, message.count, message.type);
  const auto load = [&all, is_root] { return is_root ? all.load() : Status(); };
  return call.carry_out(bound, load, nullptr, all.data());
}

}  // namespace tutti::mpi::arguments
