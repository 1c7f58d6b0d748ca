// Allgatherv, gatherv, scatterv, alltoallv and alltoallw: collectives with one size per rank. Except in allgatherv, the
// ranks do not all know all sizes, so the choice does not depend on them.

#include "mpi/data/alias.hpp"
#include "mpi/data/buffers.hpp"
#include "mpi/entry/collectives.hpp"

namespace tutti::mpi {

using base::Status;
using Slot = StagingBuffer::Slot;

namespace {

constexpr bool k_size_is_unknown = false;

/// This rank's own block, on the side that has only this one.
struct OwnBlock {
  Type type;
  int64_t count = 0;
  uint64_t bytes = 0;

  /// False: the native MPI refuses the arguments.
  bool describe(const void* buffer, int64_t element_count, MPI_Datatype datatype) {
    count = element_count;
    return measure(element_count, datatype, &type, &bytes) && buffer != MPI_IN_PLACE;
  }
  bool is_missing(const void* buffer) const { return mpi::is_missing(buffer, type, bytes); }
};

/// True if MPICH refuses the alias of `own` and `all`, which has a block for every rank: this rank's has `counts[rank]`
/// elements at `displacements[rank]`. Neither array is null.
bool is_own_block_refused(const Call& call, const void* own, const OwnBlock& one, const void* all,
                          const Numbers& counts, const Numbers& displacements, MPI_Datatype type) {
  Type described;
  return mpi::describe(type, &described) &&
         is_refused_alias({own, one.count, one.type}, {all, counts[call.rank()], described},
                          displacements[call.rank()]);
}

/// The blocks of rooted collectives on ranks that are not the root.
algorithm::Blocks unknown_blocks() {
  return {.known = false};
}

/// Common part of alltoallv and alltoallw after the description of their blocks. In place, the input is a copy of the
/// output.
bool exchange(Call& call, bool is_in_place) {
  MessageBlocks &sent = call.buffers().input_blocks, &received = call.buffers().output_blocks;
  if (sent.is_missing() || received.is_missing()) return call.refuse_missing_buffer();
  Status bound = sent.bind(is_in_place);
  if (bound) bound = received.bind();
  algorithm::Request request = call.request();
  request.blocks = sent.blocks();
  request.receive_blocks = received.blocks();
  request.own_bytes = request.receive_blocks.size(call.rank());
  if (!call.prepare(request)) return false;
  return call.carry_out(
      bound, [&sent] { return sent.load(); }, sent.data(), received.data());
}

}  // namespace

bool allgatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
                Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type) {
  if (output == MPI_IN_PLACE) return false;
  MessageBlocks& all = call.buffers().output_blocks;
  if (!all.describe(Slot::output, call.size(), output, receive_counts, displacements, receive_type))
    return false;
  if (call.goes_native(all.bytes() / static_cast<uint64_t>(call.size())) || all.bytes() == 0) return false;
  Status bound = all.bind();
  algorithm::Request request = call.request();
  request.in_place = input == MPI_IN_PLACE;
  request.blocks = all.blocks();
  request.own_bytes = request.blocks.size(call.rank());
  OwnBlock own;
  if (!request.in_place && !own.describe(input, send_count, send_type)) return false;
  if (!request.in_place &&
      is_own_block_refused(call, input, own, output, receive_counts, displacements, receive_type))
    return false;
  if (all.is_missing() || own.is_missing(input)) return call.refuse_missing_buffer();
  if (own.bytes > request.own_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  if (!call.prepare(request)) return false;

  BoundMessage& block = call.buffers().input;
  if (bound && !request.in_place)
    bound = block.bind(Slot::input, input, own.count, own.type, request.own_bytes);
  const auto load = [&block, &all, in_place = request.in_place, rank = call.rank()] {
    return in_place ? all.load_block(rank) : block.load();
  };
  return call.carry_out(bound, load, block.data(), all.data());
}

bool gatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type, int root) {
  if (!call.set_root(root) || call.goes_native(0, k_size_is_unknown)) return false;
  const bool is_root = call.rank() == root;
  OwnBlock own;
  algorithm::Request request = call.request();
  request.root = root;
  request.in_place = is_root && input == MPI_IN_PLACE;
  if (!request.in_place && !own.describe(input, send_count, send_type)) return false;
  MessageBlocks& all = call.buffers().output_blocks;
  Status bound;
  if (is_root) {
    if (output == MPI_IN_PLACE) return false;
    if (!all.describe(Slot::output, call.size(), output, receive_counts, displacements, receive_type))
      return false;
    if (!request.in_place &&
        is_own_block_refused(call, input, own, output, receive_counts, displacements, receive_type))
      return false;
    if (all.is_missing()) return call.refuse_missing_buffer();
    bound = all.bind();
  }
  if (own.is_missing(input)) return call.refuse_missing_buffer();
  request.blocks = is_root ? all.blocks() : unknown_blocks();
  request.own_bytes = is_root ? request.blocks.size(root) : own.bytes;
  if (own.bytes > request.own_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  if (!call.prepare(request)) return false;

  BoundMessage& block = call.buffers().input;
  if (bound && !request.in_place)
    bound = block.bind(Slot::input, input, own.count, own.type, request.own_bytes);
  const auto load = [&block, &all, in_place = request.in_place, root] {
    return in_place ? all.load_block(root) : block.load();
  };
  return call.carry_out(bound, load, block.data(), all.data());
}

bool scatterv(Call& call, const void* input, Numbers send_counts, Numbers displacements,
              MPI_Datatype send_type, void* output, int64_t receive_count, MPI_Datatype receive_type,
              int root) {
  if (!call.set_root(root) || call.goes_native(0, k_size_is_unknown)) return false;
  const bool is_root = call.rank() == root;
  OwnBlock own;
  algorithm::Request request = call.request();
  request.root = root;
  request.in_place = is_root && output == MPI_IN_PLACE;
  if (!request.in_place && !own.describe(output, receive_count, receive_type)) return false;
  MessageBlocks& all = call.buffers().input_blocks;
  Status bound;
  if (is_root) {
    if (input == MPI_IN_PLACE) return false;
    if (!all.describe(Slot::input, call.size(), input, send_counts, displacements, send_type)) return false;
    if (!request.in_place &&
        is_own_block_refused(call, output, own, input, send_counts, displacements, send_type))
      return false;
    if (all.is_missing()) return call.refuse_missing_buffer();
    bound = all.bind();
  }
  if (own.is_missing(output)) return call.refuse_missing_buffer();
  request.blocks = is_root ? all.blocks() : unknown_blocks();
  request.own_bytes = is_root ? request.blocks.size(root) : own.bytes;
  if (!request.in_place && own.bytes < request.own_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  if (!call.prepare(request)) return false;

  BoundMessage& block = call.buffers().output;
  if (bound && !request.in_place) bound = block.bind(Slot::output, output, own.count, own.type);
  const auto load = [&all, is_root] { return is_root ? all.load() : Status(); };
  return call.carry_out(bound, load, all.data(), block.data());
}

bool alltoallv(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               MPI_Datatype send_type, void* output, Numbers receive_counts, Numbers receive_displacements,
               MPI_Datatype receive_type) {
  if (call.goes_native(0, k_size_is_unknown) || output == MPI_IN_PLACE) return false;
  const bool is_in_place = input == MPI_IN_PLACE;
  if (is_refused_alias(input, send_counts, output, receive_counts, send_type == receive_type)) return false;
  MessageBlocks &sent = call.buffers().input_blocks, &received = call.buffers().output_blocks;
  const int p = call.size();
  if (!received.describe(Slot::output, p, output, receive_counts, receive_displacements, receive_type))
    return false;
  const bool is_described =
      is_in_place ? sent.describe(Slot::input, p, output, receive_counts, receive_displacements, receive_type)
                  : sent.describe(Slot::input, p, input, send_counts, send_displacements, send_type);
  return is_described && exchange(call, is_in_place);
}

bool alltoallw(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               const MPI_Datatype* send_types, void* output, Numbers receive_counts,
               Numbers receive_displacements, const MPI_Datatype* receive_types) {
  if (call.goes_native(0, k_size_is_unknown) || output == MPI_IN_PLACE) return false;
  const bool is_in_place = input == MPI_IN_PLACE;
  if (is_refused_alias(input, send_counts, output, receive_counts, send_types == receive_types)) return false;
  MessageBlocks &sent = call.buffers().input_blocks, &received = call.buffers().output_blocks;
  const int p = call.size();
  if (!received.describe(Slot::output, p, output, receive_counts, receive_displacements, receive_types))
    return false;
  const bool is_described =
      is_in_place
          ? sent.describe(Slot::input, p, output, receive_counts, receive_displacements, receive_types)
          : sent.describe(Slot::input, p, input, send_counts, send_displacements, send_types);
  return is_described && exchange(call, is_in_place);
}

}  // namespace tutti::mpi
