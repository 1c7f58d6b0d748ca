#pragma once
// Gather, scatter, allgather and alltoall: collectives with blocks of equal size.

#include "collective/mpi/arguments/sides.hpp"

namespace tutti::mpi::arguments {

template <class Call>
algorithm::Request request_of_blocks(const Call& call, uint64_t block_bytes) {
  algorithm::Request request = call.request();
  request.own_bytes = block_bytes;
  request.blocks.uniform_bytes = block_bytes;
  return request;
}

template <class Call>
bool allgather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
               int64_t receive_count, MPI_Datatype receive_type) {
  Side send, receive;
  if (!receive.describe(receive_count, receive_type)) return call.decline(receive.error());
  if (call.goes_native(receive.bytes)) return false;
  algorithm::Request request = request_of_blocks(call, receive.bytes);
  request.in_place = input == MPI_IN_PLACE;
  if (output == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (!receive.fits(call.size())) return call.decline(MPI_ERR_COUNT);
  if (!request.in_place && !send.describe(send_count, send_type)) return call.decline(send.error());
  if (!request.in_place && is_own_block_refused(input, send, output, receive, call.rank()))
    return call.decline(MPI_ERR_BUFFER);
  if (receive.is_missing(output) || (!request.in_place && send.is_missing(input)))
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

template <class Call>
bool gather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
            int64_t receive_count, MPI_Datatype receive_type, int root) {
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  const bool is_root = call.rank() == root;
  const bool is_in_place = is_root && input == MPI_IN_PLACE;
  Side send, receive;
  if (is_root && !receive.describe(receive_count, receive_type)) return call.decline(receive.error());
  if (!is_in_place && !send.describe(send_count, send_type)) return call.decline(send.error());
  const uint64_t block_bytes = is_root ? receive.bytes : send.bytes;
  if (call.goes_native(block_bytes)) return false;
  if (is_root ? output == MPI_IN_PLACE : input == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (is_root && !receive.fits(call.size())) return call.decline(MPI_ERR_COUNT);
  if (is_root && !is_in_place && is_own_block_refused(input, send, output, receive, root))
    return call.decline(MPI_ERR_BUFFER);
  if ((is_root && receive.is_missing(output)) || (!is_in_place && send.is_missing(input)))
    return call.refuse_missing_buffer();
  if (!is_in_place && send.bytes > block_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  algorithm::Request request = request_of_blocks(call, block_bytes);
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

template <class Call>
bool scatter(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             int64_t receive_count, MPI_Datatype receive_type, int root) {
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  const bool is_root = call.rank() == root;
  const bool is_in_place = is_root && output == MPI_IN_PLACE;
  Side send, receive;
  if (is_root && !send.describe(send_count, send_type)) return call.decline(send.error());
  if (!is_in_place && !receive.describe(receive_count, receive_type)) return call.decline(receive.error());
  const uint64_t block_bytes = is_root ? send.bytes : receive.bytes;
  if (call.goes_native(block_bytes)) return false;
  if (is_root ? input == MPI_IN_PLACE : output == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (is_root && !send.fits(call.size())) return call.decline(MPI_ERR_COUNT);
  if (is_root && !is_in_place && is_own_block_refused(output, receive, input, send, root))
    return call.decline(MPI_ERR_BUFFER);
  if ((is_root && send.is_missing(input)) || (!is_in_place && receive.is_missing(output)))
    return call.refuse_missing_buffer();
  if (!is_in_place && receive.bytes < block_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  algorithm::Request request = request_of_blocks(call, block_bytes);
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

template <class Call>
bool alltoall(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
              int64_t receive_count, MPI_Datatype receive_type) {
  Side send, receive;
  if (!receive.describe(receive_count, receive_type)) return call.decline(receive.error());
  if (call.goes_native(receive.bytes)) return false;
  const bool is_in_place = input == MPI_IN_PLACE;
  if (output == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (!receive.fits(call.size())) return call.decline(MPI_ERR_COUNT);
  if (!is_in_place && !send.describe(send_count, send_type)) return call.decline(send.error());
  if (!is_in_place && is_refused_alias({input, send.count, send.type}, {output, receive.count, receive.type}))
    return call.decline(MPI_ERR_BUFFER);
  if (receive.is_missing(output) || (!is_in_place && send.is_missing(input)))
    return call.refuse_missing_buffer();
  if (!is_in_place && send.bytes != receive.bytes) return call.refuse(MPI_ERR_TRUNCATE);
  algorithm::Request request = request_of_blocks(call, receive.bytes);
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

}  // namespace tutti::mpi::arguments
