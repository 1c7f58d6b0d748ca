// Barrier and broadcast.

#include "mpi/data/buffers.hpp"
#include "mpi/entry/collectives.hpp"

namespace tutti::mpi {

using base::Status;

bool barrier(Call& call) {
  if (call.goes_native(0) || !call.prepare(call.request())) return false;
  return call.carry_out(
      {}, [] { return Status(); }, nullptr, nullptr);
}

bool bcast(Call& call, void* buffer, int64_t count, MPI_Datatype datatype, int root) {
  Type type;
  uint64_t bytes = 0;
  if (!call.set_root(root) || !measure(count, datatype, &type, &bytes)) return false;
  if (call.goes_native(bytes) || bytes == 0 || buffer == MPI_IN_PLACE) return false;
  if (is_missing(buffer, type, bytes)) return call.refuse_missing_buffer();
  algorithm::Request request = call.request();
  request.root = root;
  request.bytes = bytes;
  if (!call.prepare(request)) return false;

  const bool is_root = call.rank() == root;
  // The root only reads its buffer; the other ranks only write theirs.
  BoundMessage& message = is_root ? call.buffers().input : call.buffers().output;
  const Status bound = message.bind(StagingBuffer::Slot::output, buffer, count, type);
  const auto load = [&message, is_root] { return is_root ? message.load() : Status(); };
  return call.carry_out(bound, load, nullptr, message.data());
}

}  // namespace tutti::mpi
