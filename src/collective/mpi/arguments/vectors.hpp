#pragma once
// Allgatherv, gatherv, scatterv, alltoallv and alltoallw: collectives with one size per rank. Except in allgatherv, the
// ranks do not all know all sizes, so the choice does not depend on them.

#include "collective/mpi/arguments/sides.hpp"

namespace tutti::mpi::arguments {

inline constexpr bool k_size_is_unknown = false;

/// Common part of alltoallv and alltoallw after the description of their blocks. In place, the input is a copy of the
/// output.
template <class Call>
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

template <class Call>
bool allgatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
                Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type) {
  if (output == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  MessageBlocks& all = call.buffers().output_blocks;
  if (!all.describe(Slot::output, call.size(), output, receive_counts, displacements, receive_type))
    return call.decline(error_of(receive_counts, call.size()));
  if (call.goes_native(all.bytes() / static_cast<uint64_t>(call.size()))) return false;
  Status bound = all.bind();
  algorithm::Request request = call.request();
  request.in_place = input == MPI_IN_PLACE;
  request.blocks = all.blocks();
  request.own_bytes = request.blocks.size(call.rank());
  Side own;
  if (!request.in_place && !own.describe(send_count, send_type)) return call.decline(own.error());
  if (!request.in_place &&
      is_own_block_refused(input, own, output, receive_counts, displacements, receive_type, call.rank()))
    return call.decline(MPI_ERR_BUFFER);
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

/// Describes and binds the blocks of a rooted collective at its root. `own`, `own_buffer`: the root's own block, unless
/// it is in place. True: go on; otherwise `*result` is that of the function.
template <class Call>
bool bind_blocks_of_root(Call& call, MessageBlocks& all, Slot slot, const void* buffer, Numbers counts,
                         Numbers displacements, MPI_Datatype type, const void* own_buffer, const Side* own,
                         Status* bound, bool* result) {
  const auto ends_with = [result](bool value) {
    *result = value;
    return false;
  };
  if (buffer == MPI_IN_PLACE) return ends_with(call.decline(MPI_ERR_BUFFER));
  if (!all.describe(slot, call.size(), buffer, counts, displacements, type))
    return ends_with(call.decline(error_of(counts, call.size())));
  if (own != nullptr &&
      is_own_block_refused(own_buffer, *own, buffer, counts, displacements, type, call.rank()))
    return ends_with(call.decline(MPI_ERR_BUFFER));
  if (all.is_missing()) return ends_with(call.refuse_missing_buffer());
  *bound = all.bind();
  return true;
}

template <class Call>
bool gatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type, int root) {
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  if (call.goes_native(0, k_size_is_unknown)) return false;
  const bool is_root = call.rank() == root;
  Side own;
  algorithm::Request request = call.request();
  request.root = root;
  request.in_place = is_root && input == MPI_IN_PLACE;
  if (!is_root && input == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (!request.in_place && !own.describe(send_count, send_type)) return call.decline(own.error());
  MessageBlocks& all = call.buffers().output_blocks;
  Status bound;
  bool result = false;
  if (is_root &&
      !bind_blocks_of_root(call, all, Slot::output, output, receive_counts, displacements, receive_type,
                           input, request.in_place ? nullptr : &own, &bound, &result))
    return result;
  if (own.is_missing(input)) return call.refuse_missing_buffer();
  request.blocks = is_root ? all.blocks() : algorithm::Blocks{.known = false};
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

template <class Call>
bool scatterv(Call& call, const void* input, Numbers send_counts, Numbers displacements,
              MPI_Datatype send_type, void* output, int64_t receive_count, MPI_Datatype receive_type,
              int root) {
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  if (call.goes_native(0, k_size_is_unknown)) return false;
  const bool is_root = call.rank() == root;
  Side own;
  algorithm::Request request = call.request();
  request.root = root;
  request.in_place = is_root && output == MPI_IN_PLACE;
  if (!is_root && output == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  if (!request.in_place && !own.describe(receive_count, receive_type)) return call.decline(own.error());
  MessageBlocks& all = call.buffers().input_blocks;
  Status bound;
  bool result = false;
  if (is_root && !bind_blocks_of_root(call, all, Slot::input, input, send_counts, displacements, send_type,
                                      output, request.in_place ? nullptr : &own, &bound, &result))
    return result;
  if (own.is_missing(output)) return call.refuse_missing_buffer();
  request.blocks = is_root ? all.blocks() : algorithm::Blocks{.known = false};
  request.own_bytes = is_root ? request.blocks.size(root) : own.bytes;
  if (!request.in_place && own.bytes < request.own_bytes) return call.refuse(MPI_ERR_TRUNCATE);
  if (!call.prepare(request)) return false;

  BoundMessage& block = call.buffers().output;
  if (bound && !request.in_place) bound = block.bind(Slot::output, output, own.count, own.type);
  const auto load = [&all, is_root] { return is_root ? all.load() : Status(); };
  return call.carry_out(bound, load, all.data(), block.data());
}

/// Common part of alltoallv (`Types` is MPI_Datatype) and alltoallw (a type for each rank).
template <class Call, class Types>
bool exchange_vectors(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
                      Types send_types, void* output, Numbers receive_counts, Numbers receive_displacements,
                      Types receive_types) {
  if (call.goes_native(0, k_size_is_unknown)) return false;
  const bool is_in_place = input == MPI_IN_PLACE;
  if (output == MPI_IN_PLACE ||
      is_refused_alias(input, send_counts, output, receive_counts, send_types == receive_types))
    return call.decline(MPI_ERR_BUFFER);
  if (is_in_place) {
    input = output;
    send_counts = receive_counts;
    send_displacements = receive_displacements;
    send_types = receive_types;
  }
  MessageBlocks &sent = call.buffers().input_blocks, &received = call.buffers().output_blocks;
  const int p = call.size();
  if (!received.describe(Slot::output, p, output, receive_counts, receive_displacements, receive_types))
    return call.decline(error_of(receive_counts, p));
  if (!sent.describe(Slot::input, p, input, send_counts, send_displacements, send_types))
    return call.decline(error_of(send_counts, p));
  return exchange(call, is_in_place);
}

template <class Call>
bool alltoallv(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               MPI_Datatype send_type, void* output, Numbers receive_counts, Numbers receive_displacements,
               MPI_Datatype receive_type) {
  return exchange_vectors(call, input, send_counts, send_displacements, send_type, output, receive_counts,
                          receive_displacements, receive_type);
}

/// The datatypes are handles of the native MPI.
template <class Call>
bool alltoallw(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               const MPI_Datatype* send_types, void* output, Numbers receive_counts,
               Numbers receive_displacements, const MPI_Datatype* receive_types) {
  return exchange_vectors(call, input, send_counts, send_displacements, send_types, output, receive_counts,
                          receive_displacements, receive_types);
}

}  // namespace tutti::mpi::arguments
