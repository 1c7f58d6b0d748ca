// Barrier and broadcast.

#include "mpi/buffers.hpp"
#include "mpi/collectives.hpp"

namespace tutti::mpi {

using base::Status;

bool barrier(Call& call) {
  if (call.goes_native(0) || !call.prepare(call.request())) return false;
  return call.finish(call.run(nullptr, nullptr));
}

bool bcast(Call& call, void* buffer, int64_t count, MPI_Datatype datatype, int root) {
  Type type;
  uint64_t bytes = 0;
  if (!call.has_rank(root) || !measure(count, datatype, &type, &bytes)) return false;
  if (bytes == 0 || call.goes_native(bytes) || is_missing(buffer, type, bytes)) return false;
  algorithm::Request request = call.request();
  request.root = root;
  request.bytes = bytes;
  if (!call.prepare(request)) return false;

  const bool is_root = call.rank() == root;
  Message message;
  Status status = message.bind(StagingBuffer::Slot::output, buffer, count, type);
  if (status && is_root) status = message.load();
  if (status) status = call.run(nullptr, message.data());
  if (status && !is_root) status = message.store();
  return call.finish(status);
}

}  // namespace tutti::mpi
