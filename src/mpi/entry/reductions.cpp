// Reduce, allreduce, reduce_scatter, reduce_scatter_block, scan and exscan.

#include "base/per_thread.hpp"
#include "mpi/data/alias.hpp"
#include "mpi/data/buffers.hpp"
#include "mpi/data/operator.hpp"
#include "mpi/entry/collectives.hpp"

namespace tutti::mpi {

using base::Status;
using Slot = StagingBuffer::Slot;

namespace {

/// Type, operator and size of the operands of a reduction.
struct Operands {
  Type type;
  MpiReducer reducer;
  uint64_t bytes = 0;

  bool measure(int64_t count, MPI_Datatype datatype) {
    return measure_vector(count, datatype, &type, &bytes);
  }
  /// Called after measure(). Also false for a user-defined operator that another thread would call.
  bool bind_operator(const Call& call, MPI_Op op) {
    return reducer.bind(op, type) && (call.is_blocking() || !reducer.is_own_operator());
  }

  void fill(algorithm::Request* request) const {
    request->bytes = bytes;
    request->element_bytes = static_cast<uint64_t>(type.extent);
    request->commutative = reducer.is_commutative();
    request->is_predefined = !reducer.is_own_operator();
  }
};

/// Memory of the thread, so that calls need not allocate.
struct BlockSizes {
  std::vector<uint64_t> sizes;
};

/// Binds one side of a reduction as bytes, which are staged only if the processor cannot access them.
Status bind(BoundMessage& side, StagingBuffer::Slot slot, const void* buffer, uint64_t bytes) {
  Type byte;
  return mpi::describe(MPI_BYTE, &byte) ? side.bind(slot, buffer, static_cast<int64_t>(bytes), byte)
                                        : Status::internal("MPI_BYTE is not known");
}

Status copy_bytes(const void* from, uint64_t bytes, std::byte* to) {
  Type byte;
  return mpi::describe(MPI_BYTE, &byte) ? pack(from, static_cast<int64_t>(bytes), byte, to)
                                        : Status::internal("MPI_BYTE is not known");
}

/// The form in which this rank passes its operand.
enum class Operand { separate, in_place, refused, missing };

/// `refused`: by the native MPI, which returns the right error. One buffer on both sides is an error of the program
/// that the MPI may accept, and that then works like MPI_IN_PLACE.
Operand operand_of(const void* input, const void* output) {
  if (output == MPI_IN_PLACE) return Operand::refused;
  if (output == nullptr || input == nullptr) return Operand::missing;
  if (input == MPI_IN_PLACE) return Operand::in_place;
  if (input != output) return Operand::separate;
  return refuses_aliases() ? Operand::refused : Operand::in_place;
}

/// Declines a call that has not taken place. Returns the return value of the collective's function.
bool decline(Call& call, Operand operand) {
  return operand == Operand::missing && call.refuse_missing_buffer();
}

bool is_usable(Operand operand) {
  return operand == Operand::separate || operand == Operand::in_place;
}

/// Destination of the result.
enum class Target {
  program,  // the program's buffer
  copy,     // a temporary buffer that is discarded: the rank has no result, but schedules may write
  none,     // the rank has no result
};

/// Runs a reduction in which every rank contributes a whole vector: all except the reduce_scatters.
bool carry_out(Call& call, const Operands& operands, Operand operand, const void* input, const void* output,
               Target target) {
  Buffers& buffers = call.buffers();
  buffers.reducer = operands.reducer;
  const bool is_in_place = operand == Operand::in_place;
  Status bound;
  if (!is_in_place) bound = bind(buffers.input, Slot::input, input, operands.bytes);
  if (bound && target == Target::program) bound = bind(buffers.output, Slot::output, output, operands.bytes);
  if (bound && target == Target::copy) bound = buffers.copy.acquire(Slot::output, operands.bytes);
  const auto load = [&buffers, is_in_place] {
    return is_in_place ? buffers.output.load() : buffers.input.load();
  };
  return call.carry_out(bound, load, buffers.input.data(),
                        target == Target::copy ? buffers.copy.data() : buffers.output.data());
}

/// Common part of allreduce, scan and exscan. A rank without a result need not provide a buffer for it, but schedules
/// may write to one.
bool reduce_on_all(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op,
                   bool has_result = true) {
  Operands operands;
  if (!operands.measure(count, type) || call.goes_native(operands.bytes)) return false;
  if (!operands.bind_operator(call, op)) return false;
  const bool needs_place = !has_result && input != MPI_IN_PLACE;
  const bool is_alias = input == output && refuses_aliases();
  const Operand operand =
      needs_place && input != nullptr && !is_alias ? Operand::separate : operand_of(input, output);
  if (!is_usable(operand)) return decline(call, operand);
  algorithm::Request request = call.request();
  operands.fill(&request);
  request.in_place = operand == Operand::in_place;
  if (!call.prepare(request)) return false;
  return carry_out(call, operands, operand, input, output, needs_place ? Target::copy : Target::program);
}

/// Runs a reduce_scatter of which this rank gets `own_bytes`. An in-place input is copied to a temporary buffer first.
bool run_reduce_scatter(Call& call, const Operands& operands, const algorithm::Request& request,
                        Operand operand, const void* input, void* output, uint64_t own_bytes) {
  if (!is_usable(operand)) return decline(call, operand);
  if (!call.prepare(request)) return false;
  Buffers& buffers = call.buffers();
  buffers.reducer = operands.reducer;
  const bool is_in_place = operand == Operand::in_place;
  Status bound = is_in_place ? buffers.copy.acquire(Slot::input, operands.bytes)
                             : bind(buffers.input, Slot::input, input, operands.bytes);
  if (bound) bound = bind(buffers.output, Slot::output, output, own_bytes);
  const auto load = [&buffers, is_in_place, output, bytes = operands.bytes] {
    return is_in_place ? copy_bytes(output, bytes, buffers.copy.data()) : buffers.input.load();
  };
  return call.carry_out(bound, load, is_in_place ? buffers.copy.data() : buffers.input.data(),
                        buffers.output.data());
}

}  // namespace

bool allreduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

bool scan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

bool exscan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op, call.rank() > 0);
}

bool reduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op,
            int root) {
  Operands operands;
  if (!call.set_root(root) || !operands.measure(count, type)) return false;
  if (call.goes_native(operands.bytes) || !operands.bind_operator(call, op)) return false;
  Operand operand = Operand::separate;
  if (call.rank() == root)
    operand = operand_of(input, output);
  else if (input == nullptr || input == MPI_IN_PLACE)
    operand = input == nullptr ? Operand::missing : Operand::refused;
  if (!is_usable(operand)) return decline(call, operand);

  algorithm::Request request = call.request();
  operands.fill(&request);
  request.root = root;
  request.in_place = operand == Operand::in_place;
  if (!call.prepare(request)) return false;
  return carry_out(call, operands, operand, input, output,
                   call.rank() == root ? Target::program : Target::none);
}

bool reduce_scatter_block(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type,
                          MPI_Op op) {
  Operands operands;
  if (!operands.measure(count, type)) return false;
  algorithm::Request request = call.request();
  request.blocks.uniform_bytes = operands.bytes;
  if (__builtin_mul_overflow(operands.bytes, static_cast<uint64_t>(call.size()), &operands.bytes))
    return false;
  if (call.goes_native(operands.bytes) || !operands.bind_operator(call, op)) return false;
  operands.fill(&request);
  return run_reduce_scatter(call, operands, request, operand_of(input, output), input, output,
                            request.blocks.uniform_bytes);
}

bool reduce_scatter(Call& call, const void* input, void* output, Numbers counts, MPI_Datatype type,
                    MPI_Op op) {
  if (counts.is_null()) return false;
  std::vector<uint64_t>& sizes = base::PerThread<BlockSizes>::get().sizes;
  sizes.clear();
  int64_t count = 0;
  for (int r = 0; r < call.size(); ++r) {
    if (counts[r] < 0 || __builtin_add_overflow(count, counts[r], &count)) return false;
    sizes.push_back(static_cast<uint64_t>(counts[r]));
  }
  Operands operands;
  if (!operands.measure(count, type)) return false;
  if (call.goes_native(operands.bytes) || !operands.bind_operator(call, op)) return false;
  for (uint64_t& size : sizes) size *= static_cast<uint64_t>(operands.type.extent);
  algorithm::Request request = call.request();
  operands.fill(&request);
  request.blocks.sizes = sizes;
  // A rank without a result need not provide a buffer for it.
  Operand operand = operand_of(input, output);
  const bool has_result = sizes[static_cast<size_t>(call.rank())] > 0;
  if (!has_result && output == nullptr && input != nullptr && input != MPI_IN_PLACE)
    operand = Operand::separate;
  return run_reduce_scatter(call, operands, request, operand, input, output,
                            sizes[static_cast<size_t>(call.rank())]);
}

}  // namespace tutti::mpi
