// Gather, scatter, allgather and alltoall: collectives with blocks of equal size.

#include "mpi/data/alias.hpp"
#include "mpi/data/buffers.hpp"
#include "mpi/entry/collectives.hpp"

namespace tutti::mpi {

using base::Status;
using Slot = StagingBuffer::Slot;

namespace {

/// `count` elements of one type on one side of a call, per block.
struct Side {
  Type type;
  int64_t count = 0;
  uint64_t bytes = 0;

  bool describe(int64_t element_count, MPI_Datatype datatype) {
    count = element_count;
    return measure(element_count, datatype, &type, &bytes);
  }
};

/// True if the total size of all blocks of a buffer is representable.
bool fits(const Side& side, int rank_count) {
  uint64_t bytes = 0;
  int64_t elements = 0;
  return !__builtin_mul_overflow(side.bytes, static_cast<uint64_t>(rank_count), &bytes) &&
         !__builtin_mul_overflow(side.count, static_cast<int64_t>(rank_count), &elements);
}

bool is_missing(const void* buffer, const Side& side) {
  return mpi::is_missing(buffer, side.type, side.bytes);
}

/// True if MPICH refuses the alias of this rank's block `own` and the buffer `all`, which has a block for every rank.
bool is_own_block_refused(const Call& call, const void* own, const Side& one, const void* all,
                          const Side& each) {
  return one.count == each.count &&
         is_refused_alias({own, one.count, one.type}, {all, each.count, each.type}, call.rank() * each.count);
}

void fill(algorithm::Request* request, uint64_t block_bytes) {
  request->own_bytes = block_bytes;
  request->blocks.uniform_bytes = block_bytes;
}

}  // namespace

bool allgather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
               int64_t receive_count, MPI_Datatype receive_type) {
  Side send, receive;
  if (!receive.describe(receive_count, receive_type)) return false;
  if (call.goes_native(receive.bytes) || receive.bytes == 0) return false;
  algorithm::Request request = call.request();
  fill(&request, receive.bytes);
  request.in_place = input == MPI_IN_PLACE;
  if (!fits(receive, call.size()) || output == MPI_IN_PLACE) return false;
  if (!request.in_place && !send.describe(send_count, send_type)) return false;
  if (!request.in_place && is_own_block_refused(call, input, send, output, receive)) return false;
  if (is_missing(output, receive) || (!request.in_place && is_missing(input, send)))
    return call.refuse_missing_buffer();
  if (!request.in_place && send.bytes > receive.bytes) return call.refuse(MPI_ERR_TRUNCATE);
  if (!call.prepare(request)) return false;

  BoundMessage &own = call.buffers().input, &all = call.buffers().output;
  Status bound = all.bind(Slot::output, output, receive.count * call.size(), receive.type);
  if (bound && !request.in_place) bound = own.bind(Slot::input, input, send.count, send.type, receive.bytes);
  const auto load = [&own, &all, in_place = request.in_place, rank = call.rank(), count = receive.count] {
    return in_place ? all.load_part(count * rank, count) : own.load();
  };
  return call.carry_out(bound, load, own.data(), all.data());
}

bool gather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
            int64_t receive_count, MPI_Datatype receive_type, int root) {
  if (!call.set_root(root)) return false;
  const bool is_root = call.rank() == root;
  const bool is_in_place = is_root && input == MPI_IN_PLACE;
  Side send, receive;
  if (is_root && !receive.describe(receive_count, receive_type)) return false;
  if (!is_in_place && !send.describe(send_count, send_type)) return false;
  const uint64_t block_bytes = is_root ? receive.bytes : send.bytes;
  if (call.goes_native(block_bytes) || block_bytes == 0) return false;
  if (is_root && (!fits(receive, call.size()) || output == MPI_IN_PLACE)) return false;
  if (!is_root && input == MPI_IN_PLACE) return false;
  if (is_root && !is_in_place && is_own_block_refused(call, input, send, output, receive)) return false;
  if ((is_root && is_missing(output, receive)) || (!is_in_place && is_missing(input, send)))
    return call.refuse_missing_buffer();
  if (!is_in_place && send.bytes > block_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  algorithm::Request request = call.request();
  fill(&request, block_bytes);
  request.root = root;
  request.in_place = is_in_place;
  if (!call.prepare(request)) return false;

  BoundMessage &own = call.buffers().input, &all = call.buffers().output;
  Status bound;
  if (is_root) bound = all.bind(Slot::output, output, receive.count * call.size(), receive.type);
  if (bound && !is_in_place) bound = own.bind(Slot::input, input, send.count, send.type, block_bytes);
  const auto load = [&own, &all, is_in_place, root, count = receive.count] {
    return is_in_place ? all.load_part(count * root, count) : own.load();
  };
  return call.carry_out(bound, load, own.data(), all.data());
}

bool scatter(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             int64_t receive_count, MPI_Datatype receive_type, int root) {
  if (!call.set_root(root)) return false;
  const bool is_root = call.rank() == root;
  const bool is_in_place = is_root && output == MPI_IN_PLACE;
  Side send, receive;
  if (is_root && !send.describe(send_count, send_type)) return false;
  if (!is_in_place && !receive.describe(receive_count, receive_type)) return false;
  const uint64_t block_bytes = is_root ? send.bytes : receive.bytes;
  if (call.goes_native(block_bytes) || block_bytes == 0) return false;
  if (is_root && (!fits(send, call.size()) || input == MPI_IN_PLACE)) return false;
  if (!is_root && output == MPI_IN_PLACE) return false;
  if (is_root && !is_in_place && is_own_block_refused(call, output, receive, input, send)) return false;
  if ((is_root && is_missing(input, send)) || (!is_in_place && is_missing(output, receive)))
    return call.refuse_missing_buffer();
  if (!is_in_place && receive.bytes < block_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  algorithm::Request request = call.request();
  fill(&request, block_bytes);
  request.root = root;
  request.in_place = is_in_place;
  if (!call.prepare(request)) return false;

  BoundMessage &all = call.buffers().input, &own = call.buffers().output;
  Status bound;
  if (is_root) bound = all.bind(Slot::input, input, send.count * call.size(), send.type);
  if (bound && !is_in_place) bound = own.bind(Slot::output, output, receive.count, receive.type);
  const auto load = [&all, is_root] { return is_root ? all.load() : Status(); };
  return call.carry_out(bound, load, all.data(), own.data());
}

bool alltoall(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
              int64_t receive_count, MPI_Datatype receive_type) {
  Side send, receive;
  if (!receive.describe(receive_count, receive_type)) return false;
  if (call.goes_native(receive.bytes) || receive.bytes == 0) return false;
  const bool is_in_place = input == MPI_IN_PLACE;
  if (!fits(receive, call.size()) || output == MPI_IN_PLACE) return false;
  if (!is_in_place && !send.describe(send_count, send_type)) return false;
  if (!is_in_place && is_refused_alias({input, send.count, send.type}, {output, receive.count, receive.type}))
    return false;
  if (is_missing(output, receive) || (!is_in_place && is_missing(input, send)))
    return call.refuse_missing_buffer();
  if (!is_in_place && send.bytes != receive.bytes) return call.refuse(MPI_ERR_TRUNCATE);
  algorithm::Request request = call.request();
  fill(&request, receive.bytes);
  request.receive_blocks.uniform_bytes = receive.bytes;
  if (!call.prepare(request)) return false;

  Buffers& buffers = call.buffers();
  const int64_t elements = receive.count * call.size();
  Status bound = buffers.output.bind(Slot::output, output, elements, receive.type);
  if (bound && is_in_place)
    bound = buffers.copy.acquire(Slot::input, receive.bytes * static_cast<uint64_t>(call.size()));
  else if (bound)
    bound = buffers.input.bind(Slot::input, input, send.count * call.size(), send.type);
  const auto load = [&buffers, is_in_place] {
    return is_in_place ? buffers.output.pack_into(buffers.copy.data()) : buffers.input.load();
  };
  return call.carry_out(bound, load, is_in_place ? buffers.copy.data() : buffers.input.data(),
                        buffers.output.data());
}

}  // namespace tutti::mpi
