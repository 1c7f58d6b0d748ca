// Arguments of collectives that move data without reducing.

#include <utility>

#include "actors/calls/collective_arguments.hpp"
#include "actors/calls/rank.hpp"
#include "mpi/data/alias.hpp"
#include "mpi/data/staging.hpp"

namespace tutti::actors::arguments {

namespace {

using base::Status;
using mpi::BoundMessage;
using mpi::MessageBlocks;
using mpi::Numbers;
using Slot = mpi::StagingBuffer::Slot;

/// The elements of one datatype on one side of a call.
struct Side {
  mpi::Type type;
  int64_t count = 0;
  uint64_t bytes = 0;

  int describe(int64_t element_count, MPI_Datatype datatype) {
    count = element_count;
    if (count < 0) return MPI_ERR_COUNT;
    if (datatype == MPI_DATATYPE_NULL && count > 0) return MPI_ERR_TYPE;
    return mpi::measure(count, datatype, &type, &bytes) ? MPI_SUCCESS : MPI_ERR_TYPE;
  }
};

int check_root(const CollectiveRequest& call, int root) {
  return root >= 0 && root < call.size() ? MPI_SUCCESS : MPI_ERR_ROOT;
}

/// Refuses the same aliases as the native MPI (mpi/data/alias.hpp): a rank's own block, `place` elements from
/// the beginning of the whole.
int check_alias(const Side& own, const void* own_buffer, const Side& each, const void* all, int64_t place) {
  return own.count == each.count &&
                 mpi::is_refused_alias({own_buffer, own.count, own.type}, {all, each.count, each.type}, place)
             ? MPI_ERR_BUFFER
             : MPI_SUCCESS;
}

int check_alias(const CollectiveRequest& call, const Side& own, const void* own_buffer, const void* all,
                Numbers counts, Numbers displacements, MPI_Datatype type) {
  mpi::Type described;
  return mpi::describe(type, &described) &&
                 mpi::is_refused_alias({own_buffer, own.count, own.type},
                                       {all, counts[call.rank()], described}, displacements[call.rank()])
             ? MPI_ERR_BUFFER
             : MPI_SUCCESS;
}

int code_of(const Status& status) {
  return status ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int bind(BoundMessage& message, Slot slot, const void* buffer, const Side& side, int64_t blocks = 1,
         uint64_t least_bytes = 0) {
  if (mpi::is_missing(buffer, side.type, side.bytes)) return MPI_ERR_BUFFER;
  int64_t count = 0;
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(side.count, blocks, &count) ||
      __builtin_mul_overflow(side.bytes, static_cast<uint64_t>(blocks), &bytes))
    return MPI_ERR_COUNT;
  return code_of(message.bind(slot, buffer, count, side.type, least_bytes));
}

int check_counts(Numbers counts, int size) {
  if (counts.is_null()) return MPI_ERR_ARG;
  for (int r = 0; r < size; ++r)
    if (counts[r] < 0) return MPI_ERR_COUNT;
  return MPI_SUCCESS;
}

/// Describes blocks of one datatype, one per rank.
int describe(const CollectiveRequest& call, MessageBlocks& blocks, Slot slot, const void* buffer,
             Numbers counts, Numbers displacements, MPI_Datatype type) {
  if (buffer == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  if (const int code = check_counts(counts, call.size()); code != MPI_SUCCESS) return code;
  if (!blocks.describe(slot, call.size(), buffer, counts, displacements, type)) return MPI_ERR_TYPE;
  return blocks.is_missing() ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

/// Binds a rank's own part, whose length is `bytes` according to the arguments for the whole.
int bind_own(BoundMessage& message, Slot slot, const void* buffer, const Side& own, uint64_t bytes) {
  if (own.bytes > bytes && slot == Slot::input) return MPI_ERR_TRUNCATE;
  if (own.bytes < bytes && slot == Slot::output) return MPI_ERR_TRUNCATE;
  return bind(message, slot, buffer, own, 1, slot == Slot::input ? bytes : 0);
}

/// Receives a block of `count` elements from each rank; in place, this rank's block is already in the output.
void gather_into_row(CollectiveRequest& call, bool is_in_place, int64_t count) {
  call.request.in_place = is_in_place;
  call.load = [&call, is_in_place, count] {
    return is_in_place ? call.buffers.output.load_part(count * call.rank(), count)
                       : call.buffers.input.load();
  };
  call.bindings.input = call.buffers.input.data();
  call.bindings.output = call.buffers.output.data();
}

/// The same with blocks of different lengths.
void gather_into_blocks(CollectiveRequest& call, bool is_in_place) {
  call.request.in_place = is_in_place;
  call.load = [&call, is_in_place] {
    return is_in_place ? call.buffers.output_blocks.load_block(call.rank()) : call.buffers.input.load();
  };
  call.bindings.input = call.buffers.input.data();
  call.bindings.output = call.buffers.output_blocks.data();
}

/// Copies inputs that are in place: the all-to-all algorithms do not support in-place operation.
int exchange(CollectiveRequest& call, bool is_in_place) {
  MessageBlocks &sent = call.buffers.input_blocks, &received = call.buffers.output_blocks;
  Status bound = sent.bind(is_in_place);
  if (bound) bound = received.bind();
  if (!bound) return code_of(bound);
  call.request.blocks = sent.blocks();
  call.request.receive_blocks = received.blocks();
  call.request.own_bytes = call.request.receive_blocks.size(call.rank());
  call.load = [&sent] { return sent.load(); };
  call.bindings.input = sent.data();
  call.bindings.output = received.data();
  return MPI_SUCCESS;
}

}  // namespace

int barrier(CollectiveRequest&) {
  return MPI_SUCCESS;
}

int bcast(CollectiveRequest& call, void* buffer, int64_t count, MPI_Datatype type, int root) {
  Side all;
  int code = check_root(call, root);
  if (code == MPI_SUCCESS) code = all.describe(count, type);
  if (code == MPI_SUCCESS) code = bind(call.buffers.output, Slot::output, buffer, all);
  if (code != MPI_SUCCESS) return code;
  call.request.root = root;
  call.request.bytes = all.bytes;
  BoundMessage& data = call.buffers.output;
  if (call.rank() == root) {
    call.load = [&data] { return data.load(); };
    call.store = nullptr;
  }
  call.bindings.output = data.data();
  return MPI_SUCCESS;
}

int allgather(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
              void* output, int64_t receive_count, MPI_Datatype receive_type) {
  const bool is_in_place = input == MPI_IN_PLACE;
  if (output == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  Side send, receive;
  int code = receive.describe(receive_count, receive_type);
  if (code == MPI_SUCCESS && !is_in_place) code = send.describe(send_count, send_type);
  if (code == MPI_SUCCESS && !is_in_place)
    code = check_alias(send, input, receive, output, call.rank() * receive.count);
  if (code == MPI_SUCCESS) code = bind(call.buffers.output, Slot::output, output, receive, call.size());
  if (code == MPI_SUCCESS && !is_in_place)
    code = bind_own(call.buffers.input, Slot::input, input, send, receive.bytes);
  if (code != MPI_SUCCESS) return code;
  call.request.own_bytes = call.request.blocks.uniform_bytes = receive.bytes;
  gather_into_row(call, is_in_place, receive.count);
  return MPI_SUCCESS;
}

int allgatherv(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
               void* output, Numbers counts, Numbers displacements, MPI_Datatype receive_type) {
  const bool is_in_place = input == MPI_IN_PLACE;
  MessageBlocks& all = call.buffers.output_blocks;
  Side own;
  int code = describe(call, all, Slot::output, output, counts, displacements, receive_type);
  if (code == MPI_SUCCESS && !is_in_place) code = own.describe(send_count, send_type);
  if (code == MPI_SUCCESS && !is_in_place)
    code = check_alias(call, own, input, output, counts, displacements, receive_type);
  if (code == MPI_SUCCESS) code = code_of(all.bind());
  if (code != MPI_SUCCESS) return code;
  call.request.blocks = all.blocks();
  call.request.own_bytes = call.request.blocks.size(call.rank());
  if (!is_in_place) code = bind_own(call.buffers.input, Slot::input, input, own, call.request.own_bytes);
  gather_into_blocks(call, is_in_place);
  return code;
}

int gather(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
           void* output, int64_t receive_count, MPI_Datatype receive_type, int root) {
  if (const int code = check_root(call, root); code != MPI_SUCCESS) return code;
  const bool is_root = call.rank() == root, is_in_place = is_root && input == MPI_IN_PLACE;
  if ((is_root && output == MPI_IN_PLACE) || (!is_root && input == MPI_IN_PLACE)) return MPI_ERR_BUFFER;
  Side send, receive;
  int code = is_root ? receive.describe(receive_count, receive_type) : MPI_SUCCESS;
  if (code == MPI_SUCCESS && !is_in_place) code = send.describe(send_count, send_type);
  const uint64_t bytes = is_root ? receive.bytes : send.bytes;
  if (code == MPI_SUCCESS && is_root && !is_in_place)
    code = check_alias(send, input, receive, output, root * receive.count);
  if (code == MPI_SUCCESS && is_root)
    code = bind(call.buffers.output, Slot::output, output, receive, call.size());
  if (code == MPI_SUCCESS && !is_in_place)
    code = bind_own(call.buffers.input, Slot::input, input, send, bytes);
  if (code != MPI_SUCCESS) return code;
  call.request.root = root;
  call.request.own_bytes = call.request.blocks.uniform_bytes = bytes;
  gather_into_row(call, is_in_place, receive.count);
  return MPI_SUCCESS;
}

int gatherv(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
            void* output, Numbers counts, Numbers displacements, MPI_Datatype receive_type, int root) {
  if (const int code = check_root(call, root); code != MPI_SUCCESS) return code;
  const bool is_root = call.rank() == root, is_in_place = is_root && input == MPI_IN_PLACE;
  if (!is_root && input == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  MessageBlocks& all = call.buffers.output_blocks;
  Side own;
  int code =
      is_root ? describe(call, all, Slot::output, output, counts, displacements, receive_type) : MPI_SUCCESS;
  if (code == MPI_SUCCESS && is_root) code = code_of(all.bind());
  if (code == MPI_SUCCESS && !is_in_place) code = own.describe(send_count, send_type);
  if (code == MPI_SUCCESS && is_root && !is_in_place)
    code = check_alias(call, own, input, output, counts, displacements, receive_type);
  if (code != MPI_SUCCESS) return code;
  call.request.root = root;
  call.request.blocks = is_root ? all.blocks() : algorithm::Blocks{.known = false};
  call.request.own_bytes = is_root ? call.request.blocks.size(root) : own.bytes;
  if (!is_in_place) code = bind_own(call.buffers.input, Slot::input, input, own, call.request.own_bytes);
  gather_into_blocks(call, is_in_place);
  return code;
}

int scatter(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
            void* output, int64_t receive_count, MPI_Datatype receive_type, int root) {
  if (const int code = check_root(call, root); code != MPI_SUCCESS) return code;
  const bool is_root = call.rank() == root, is_in_place = is_root && output == MPI_IN_PLACE;
  if ((is_root && input == MPI_IN_PLACE) || (!is_root && output == MPI_IN_PLACE)) return MPI_ERR_BUFFER;
  Side send, receive;
  int code = is_root ? send.describe(send_count, send_type) : MPI_SUCCESS;
  if (code == MPI_SUCCESS && !is_in_place) code = receive.describe(receive_count, receive_type);
  const uint64_t bytes = is_root ? send.bytes : receive.bytes;
  if (code == MPI_SUCCESS && is_root && !is_in_place)
    code = check_alias(receive, output, send, input, root * send.count);
  if (code == MPI_SUCCESS && is_root) code = bind(call.buffers.input, Slot::input, input, send, call.size());
  if (code == MPI_SUCCESS && !is_in_place)
    code = bind_own(call.buffers.output, Slot::output, output, receive, bytes);
  if (code != MPI_SUCCESS) return code;
  call.request.root = root;
  call.request.in_place = is_in_place;
  call.request.own_bytes = call.request.blocks.uniform_bytes = bytes;
  call.load = [&call, is_root] { return is_root ? call.buffers.input.load() : Status(); };
  call.bindings.input = call.buffers.input.data();
  call.bindings.output = call.buffers.output.data();
  return MPI_SUCCESS;
}

int scatterv(CollectiveRequest& call, const void* input, Numbers counts, Numbers displacements,
             MPI_Datatype send_type, void* output, int64_t receive_count, MPI_Datatype receive_type,
             int root) {
  if (const int code = check_root(call, root); code != MPI_SUCCESS) return code;
  const bool is_root = call.rank() == root, is_in_place = is_root && output == MPI_IN_PLACE;
  if (!is_root && output == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  MessageBlocks& all = call.buffers.input_blocks;
  Side own;
  int code =
      is_root ? describe(call, all, Slot::input, input, counts, displacements, send_type) : MPI_SUCCESS;
  if (code == MPI_SUCCESS && is_root) code = code_of(all.bind());
  if (code == MPI_SUCCESS && !is_in_place) code = own.describe(receive_count, receive_type);
  if (code == MPI_SUCCESS && is_root && !is_in_place)
    code = check_alias(call, own, output, input, counts, displacements, send_type);
  if (code != MPI_SUCCESS) return code;
  call.request.root = root;
  call.request.in_place = is_in_place;
  call.request.blocks = is_root ? all.blocks() : algorithm::Blocks{.known = false};
  call.request.own_bytes = is_root ? call.request.blocks.size(root) : own.bytes;
  if (!is_in_place) code = bind_own(call.buffers.output, Slot::output, output, own, call.request.own_bytes);
  call.load = [&all, is_root] { return is_root ? all.load() : Status(); };
  call.bindings.input = all.data();
  call.bindings.output = call.buffers.output.data();
  return code;
}

int alltoall(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
             void* output, int64_t receive_count, MPI_Datatype receive_type) {
  const bool is_in_place = input == MPI_IN_PLACE;
  if (output == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  Side send, receive;
  int code = receive.describe(receive_count, receive_type);
  if (code == MPI_SUCCESS && !is_in_place) code = send.describe(send_count, send_type);
  if (code == MPI_SUCCESS && !is_in_place && send.bytes != receive.bytes) code = MPI_ERR_TRUNCATE;
  if (code == MPI_SUCCESS && !is_in_place) code = check_alias(send, input, receive, output, 0);
  if (code == MPI_SUCCESS) code = bind(call.buffers.output, Slot::output, output, receive, call.size());
  const uint64_t bytes = receive.bytes * static_cast<uint64_t>(call.size());
  if (code == MPI_SUCCESS)
    code = is_in_place ? code_of(call.buffers.copy.acquire(Slot::input, bytes))
                       : bind(call.buffers.input, Slot::input, input, send, call.size());
  if (code != MPI_SUCCESS) return code;
  call.request.blocks.uniform_bytes = call.request.receive_blocks.uniform_bytes = receive.bytes;
  call.request.own_bytes = receive.bytes;
  call.load = [&call, is_in_place] {
    return is_in_place ? call.buffers.output.pack_into(call.buffers.copy.data()) : call.buffers.input.load();
  };
  call.bindings.input = is_in_place ? call.buffers.copy.data() : call.buffers.input.data();
  call.bindings.output = call.buffers.output.data();
  return MPI_SUCCESS;
}

int alltoallv(CollectiveRequest& call, const void* input, Numbers send_counts, Numbers send_displacements,
              MPI_Datatype send_type, void* output, Numbers receive_counts, Numbers receive_displacements,
              MPI_Datatype receive_type) {
  const bool is_in_place = input == MPI_IN_PLACE;
  if (mpi::is_refused_alias(input, send_counts, output, receive_counts, send_type == receive_type))
    return MPI_ERR_BUFFER;
  int code = describe(call, call.buffers.output_blocks, Slot::output, output, receive_counts,
                      receive_displacements, receive_type);
  if (code == MPI_SUCCESS)
    code = is_in_place ? describe(call, call.buffers.input_blocks, Slot::input, output, receive_counts,
                                  receive_displacements, receive_type)
                       : describe(call, call.buffers.input_blocks, Slot::input, input, send_counts,
                                  send_displacements, send_type);
  return code == MPI_SUCCESS ? exchange(call, is_in_place) : code;
}

int alltoallw(CollectiveRequest& call, const void* input, Numbers send_counts, Numbers send_displacements,
              const MPI_Datatype* send_types, void* output, Numbers receive_counts,
              Numbers receive_displacements, const MPI_Datatype* receive_types) {
  const bool is_in_place = input == MPI_IN_PLACE;
  if (is_in_place) {
    input = output;
    send_counts = receive_counts;
    send_displacements = receive_displacements;
    send_types = receive_types;
  }
  if (output == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  for (Numbers const counts : {send_counts, receive_counts})
    if (const int code = check_counts(counts, call.size()); code != MPI_SUCCESS) return code;
  MessageBlocks &sent = call.buffers.input_blocks, &received = call.buffers.output_blocks;
  if (!sent.describe(Slot::input, call.size(), input, send_counts, send_displacements, send_types) ||
      !received.describe(Slot::output, call.size(), output, receive_counts, receive_displacements,
                         receive_types))
    return MPI_ERR_TYPE;
  if (sent.is_missing() || received.is_missing()) return MPI_ERR_BUFFER;
  return exchange(call, is_in_place);
}

}  // namespace tutti::actors::arguments
