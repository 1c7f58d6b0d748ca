#pragma once
// Reduce, allreduce, reduce_scatter, reduce_scatter_block, scan and exscan.

#include "base/per_thread.hpp"
#include "collective/mpi/arguments/sides.hpp"
#include "collective/mpi/data/operands.hpp"

namespace tutti::mpi::arguments {

/// Type, operator and size of the operands of a reduction.
template <class Call>
struct Operands {
  Type type;
  int64_t count = 0;
  uint64_t bytes = 0;
  typename Call::BoundOperator op;

  /// False: the native MPI takes the call, or the call was declined.
  bool describe(Call& call, int64_t element_count, MPI_Datatype datatype, MPI_Op wanted_op) {
    count = element_count;
    if (!measure_vector(count, datatype, &type, &bytes) || (type.extent <= 0 && count > 0))
      return call.decline(count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE);
    if (call.goes_native(bytes)) return false;
    const int error = call.bind_operator(wanted_op, &type, &op);
    return error == MPI_SUCCESS || call.decline(error);
  }

  void fill(algorithm::Request* request) const {
    request->bytes = bytes;
    request->element_bytes = static_cast<uint64_t>(type.extent > 0 ? type.extent : 1);
    request->commutative = op.is_commutative();
    request->is_predefined = !op.is_own_operator();
  }

  bool is_missing(const void* buffer) const { return mpi::is_missing(buffer, type, bytes); }
};

/// The form in which this rank passes its operand.
enum class Operand : uint8_t { separate, in_place, refused, missing };

/// `refused`: by the native MPI. One buffer on both sides is an error of the program that the MPI may accept, and that
/// then works like MPI_IN_PLACE.
template <class Call>
Operand operand_of(const Operands<Call>& operands, const void* input, const void* output) {
  if (output == MPI_IN_PLACE) return Operand::refused;
  if (operands.is_missing(output) || operands.is_missing(input)) return Operand::missing;
  if (input == MPI_IN_PLACE) return Operand::in_place;
  if (input != output) return Operand::separate;
  return operands.bytes > 0 && refuses_aliases() ? Operand::refused : Operand::in_place;
}

/// False: the call ends here, and `*result` is the result of the collective's function.
template <class Call>
bool is_usable(Call& call, Operand operand, bool* result) {
  if (operand == Operand::separate || operand == Operand::in_place) return true;
  *result = operand == Operand::missing ? call.refuse_missing_buffer() : call.decline(MPI_ERR_BUFFER);
  return false;
}

/// Destination of the result.
enum class Target : uint8_t {
  program,  // the program's buffer
  copy,     // a temporary buffer that is discarded: the rank has no result, but schedules may write
  none,     // the rank has no result
};

/// Runs a reduction in which every rank contributes a whole vector: all except the reduce_scatters.
template <class Call>
bool reduce_vector(Call& call, Operands<Call>& operands, algorithm::Request& request, Operand operand,
                   const void* input, const void* output, Target target) {
  bool result = false;
  if (!is_usable(call, operand, &result)) return result;
  const bool is_in_place = operand == Operand::in_place;
  operands.fill(&request);
  request.in_place = is_in_place;
  if (!call.prepare(request)) return false;

  call.use_operator(operands.op);
  Buffers& buffers = call.buffers();
  Status bound;
  if (!is_in_place) bound = buffers.input.bind_operands(Slot::input, input, operands.count, operands.type);
  if (bound && target == Target::program)
    bound = buffers.output.bind_operands(Slot::output, output, operands.count, operands.type);
  if (bound && target == Target::copy)
    bound = buffers.copy.acquire(Slot::output, operand_memory(operands.count, operands.type));
  const auto load = [&buffers, is_in_place] {
    return is_in_place ? buffers.output.load() : buffers.input.load();
  };
  return call.carry_out(bound, load, buffers.input.data(),
                        target == Target::copy ? buffers.copy.data() : buffers.output.data());
}

/// A rank without a result need not provide a buffer for it, but schedules may write to one.
template <class Call>
bool reduce_on_all(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op,
                   bool has_result = true) {
  Operands<Call> operands;
  if (!operands.describe(call, count, type, op)) return false;
  const bool needs_place = !has_result && input != MPI_IN_PLACE;
  const bool is_alias = input == output && refuses_aliases();
  const bool is_separate = needs_place && !operands.is_missing(input) && !is_alias;
  const Operand operand = is_separate ? Operand::separate : operand_of(operands, input, output);
  algorithm::Request request = call.request();
  return reduce_vector(call, operands, request, operand, input, output,
                       needs_place ? Target::copy : Target::program);
}

template <class Call>
bool allreduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

template <class Call>
bool scan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

template <class Call>
bool exscan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op, call.rank() > 0);
}

template <class Call>
bool reduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op,
            int root) {
  Operands<Call> operands;
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  if (!operands.describe(call, count, type, op)) return false;
  const bool is_root = call.rank() == root;
  Operand operand = Operand::separate;
  if (is_root)
    operand = operand_of(operands, input, output);
  else if (input == MPI_IN_PLACE)
    operand = Operand::refused;
  else if (operands.is_missing(input))
    operand = Operand::missing;
  algorithm::Request request = call.request();
  request.root = root;
  return reduce_vector(call, operands, request, operand, input, output,
                       is_root ? Target::program : Target::none);
}

/// Runs a reduce_scatter of which this rank gets `own_count` elements. An in-place input is copied to a temporary
/// buffer first.
template <class Call>
bool reduce_blocks(Call& call, Operands<Call>& operands, algorithm::Request& request, Operand operand,
                   const void* input, void* output, int64_t own_count) {
  bool result = false;
  if (!is_usable(call, operand, &result)) return result;
  operands.fill(&request);
  if (!call.prepare(request)) return false;

  call.use_operator(operands.op);
  Buffers& buffers = call.buffers();
  const bool is_in_place = operand == Operand::in_place;
  const Type type = operands.type;
  const int64_t count = operands.count;
  Status bound = is_in_place ? buffers.copy.acquire(Slot::input, operand_memory(count, type))
                             : buffers.input.bind_operands(Slot::input, input, count, type);
  if (bound) bound = buffers.output.bind_operands(Slot::output, output, own_count, type);
  const auto load = [&buffers, is_in_place, output, count, type] {
    return is_in_place ? load_operands(output, count, type, buffers.copy.data()) : buffers.input.load();
  };
  return call.carry_out(bound, load, is_in_place ? buffers.copy.data() : buffers.input.data(),
                        buffers.output.data());
}

template <class Call>
bool reduce_scatter_block(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type,
                          MPI_Op op) {
  int64_t all = 0;
  if (count < 0 || __builtin_mul_overflow(count, int64_t{call.size()}, &all))
    return call.decline(MPI_ERR_COUNT);
  Operands<Call> operands;
  if (!operands.describe(call, all, type, op)) return false;
  algorithm::Request request = call.request();
  request.blocks.uniform_bytes = operands.bytes / static_cast<uint64_t>(call.size());
  return reduce_blocks(call, operands, request, operand_of(operands, input, output), input, output, count);
}

/// Memory of the thread, so that calls need not allocate.
struct BlockSizes {
  std::vector<uint64_t> sizes;
};

template <class Call>
bool reduce_scatter(Call& call, const void* input, void* output, Numbers counts, MPI_Datatype type,
                    MPI_Op op) {
  if (counts.is_null()) return call.decline(MPI_ERR_ARG);
  std::vector<uint64_t>& sizes = base::PerThread<BlockSizes>::get().sizes;
  sizes.clear();
  int64_t count = 0;
  for (int r = 0; r < call.size(); ++r) {
    if (counts[r] < 0 || __builtin_add_overflow(count, counts[r], &count)) return call.decline(MPI_ERR_COUNT);
    sizes.push_back(static_cast<uint64_t>(counts[r]));
  }
  Operands<Call> operands;
  if (!operands.describe(call, count, type, op)) return false;
  for (uint64_t& size : sizes) size *= static_cast<uint64_t>(operands.type.extent);
  algorithm::Request request = call.request();
  request.blocks.sizes = sizes;
  // A rank without a result need not provide a buffer for it.
  const bool has_result = counts[call.rank()] > 0;
  const bool is_separate =
      !has_result && output == nullptr && input != MPI_IN_PLACE && !operands.is_missing(input);
  const Operand operand = is_separate ? Operand::separate : operand_of(operands, input, output);
  return reduce_blocks(call, operands, request, operand, input, output, counts[call.rank()]);
}

}  // namespace tutti::mpi::arguments
