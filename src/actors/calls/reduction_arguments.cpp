// Arguments of reductions: whole elements are sent, including padding, because operators may access it.

#include <algorithm>
#include <vector>

#include "actors/calls/collective_arguments.hpp"
#include "actors/calls/rank.hpp"
#include "mpi/data/alias.hpp"
#include "mpi/data/staging.hpp"

namespace tutti::actors::arguments {

namespace {

using base::Status;
using Slot = mpi::StagingBuffer::Slot;

/// Datatype and size of the operands.
struct Operands {
  mpi::Type type;
  uint64_t bytes = 0;
  bool is_spanned = false;  // a derived datatype, copied with its layout
};

int bind_own(CollectiveRequest& call, MPI_Op op, const Operands& operands, algorithm::Request* request) {
  const UserOperator* const own = call.owner().operators().find_own(op);
  if (own == nullptr) return MPI_ERR_OP;
  call.reducer.emplace<ProgramReducer>(
      OperatorFunction(*own, operands.type.handle, call.owner().programs(operands.type.handle)),
      own->is_commutative, static_cast<uint64_t>(operands.type.extent),
      operands.is_spanned ? operands.type.true_lb : 0);
  request->commutative = own->is_commutative;
  return MPI_SUCCESS;
}

/// Predefined operators apply to predefined datatypes only.
int bind_native(CollectiveRequest& call, MPI_Op op, const Operands& operands) {
  if (operands.is_spanned) return MPI_ERR_OP;
  int nothing[16] = {};
  if (PMPI_Reduce_local(nothing, nothing + 8, 0, operands.type.handle, op) != MPI_SUCCESS) return MPI_ERR_OP;
  mpi::MpiReducer reducer;
  if (reducer.bind(op, operands.type))
    call.reducer = reducer;
  else
    call.reducer.emplace<NativeReducer>(op, operands.type.handle,
                                        static_cast<uint64_t>(operands.type.extent));
  return MPI_SUCCESS;
}

/// Sets the sizes of the request, and binds the operator. Returns an error class.
int describe(CollectiveRequest& call, int64_t count, MPI_Datatype type, MPI_Op op, Operands* operands,
             algorithm::Request* request) {
  if (count < 0) return MPI_ERR_COUNT;
  if (type == MPI_DATATYPE_NULL || !mpi::describe(type, &operands->type)) return MPI_ERR_TYPE;
  // The other two belong to one-sided communication.
  if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) return MPI_ERR_OP;
  if (call.outlives_call && !call.kept_types.keep(&operands->type)) return MPI_ERR_NO_MEM;
  operands->is_spanned = !operands->type.is_predefined;
  if (operands->type.extent <= 0 && count > 0) return MPI_ERR_TYPE;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), static_cast<uint64_t>(operands->type.extent),
                             &operands->bytes))
    return MPI_ERR_COUNT;
  request->bytes = operands->bytes;
  request->element_bytes = static_cast<uint64_t>(std::max<int64_t>(operands->type.extent, 1));
  return is_predefined(op) ? bind_native(call, op, *operands) : bind_own(call, op, *operands, request);
}

/// A buffer used without a copy: for predefined datatypes, gaps do not matter.
std::byte* in_place_of(const void* buffer) {
  return static_cast<std::byte*>(const_cast<void*>(buffer));  // written only as output
}

/// Reads from `input`, writes `output_count` elements to `output`. Without a result, output may be null. In
/// place, the operand is in the output buffer.
bool bind(CollectiveRequest& call, algorithm::Request request, const Operands& operands, const void* input,
          void* output, int64_t count, int64_t output_count, bool has_result) {
  const bool has_place = has_result || request.collective == algorithm::Collective::exscan;
  if (count > 0 && input == output && has_place && mpi::refuses_aliases())
    return call.decline(MPI_ERR_BUFFER);
  const bool is_in_place = input == MPI_IN_PLACE || (input == output && has_place);
  request.in_place = is_in_place;
  call.prepare(request);
  if (operands.is_spanned) {
    if (!is_in_place) call.input_elements.bind(nullptr, count, operands.type);
    call.output_elements.bind(output, output_count, operands.type);
    if (has_result) call.store = [&call] { return call.output_elements.store(); };
    const auto load = [&call, input, output, is_in_place] {
      return is_in_place ? call.output_elements.load(output) : call.input_elements.load(input);
    };
    return call.carry_out({}, load, is_in_place ? nullptr : call.input_elements.data(),
                          call.output_elements.data());
  }
  Status bound;
  std::byte* place = in_place_of(output);
  if (!has_result && !is_in_place) {
    bound = call.buffers().copy.acquire(Slot::output, operands.bytes);
    place = call.buffers().copy.data();
  }
  return call.carry_out(
      bound, [] { return Status(); }, is_in_place ? nullptr : in_place_of(input), place);
}

/// Its algorithms do not support in-place operands: copies the input first.
bool bind_scatter(CollectiveRequest& call, const algorithm::Request& request, const Operands& operands,
                  const void* input, void* output, int64_t count, int64_t own_count) {
  if (count > 0 && input == output && mpi::refuses_aliases()) return call.decline(MPI_ERR_BUFFER);
  if (input != MPI_IN_PLACE && input != output)
    return bind(call, request, operands, input, output, count, own_count, true);
  call.prepare(request);
  if (operands.is_spanned) {
    call.input_elements.bind(nullptr, count, operands.type);
    call.output_elements.bind(output, own_count, operands.type);
    call.store = [&call] { return call.output_elements.store(); };
    return call.carry_out(
        {}, [&call, output] { return call.input_elements.load(output); }, call.input_elements.data(),
        call.output_elements.data());
  }
  const Status bound = call.buffers().copy.acquire(Slot::input, operands.bytes);
  const auto load = [&call, output, bytes = operands.bytes] {
    std::copy_n(in_place_of(output), bytes, call.buffers().copy.data());
    return Status();
  };
  return call.carry_out(bound, load, call.buffers().copy.data(), in_place_of(output));
}

bool reduce_on_all(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
                   MPI_Op op) {
  if (output == MPI_IN_PLACE) return call.decline(MPI_ERR_BUFFER);
  algorithm::Request request = call.request();
  Operands operands;
  if (const int code = describe(call, count, type, op, &operands, &request); code != MPI_SUCCESS)
    return call.decline(code);
  // The first rank of an exscan has no result, and need not provide a buffer.
  const bool has_result = request.collective != algorithm::Collective::exscan || call.rank() > 0;
  return bind(call, request, operands, input, output, count, count, has_result);
}

}  // namespace

bool reduce(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
            MPI_Op op, int root) {
  if (!call.set_root(root)) return call.decline(MPI_ERR_ROOT);
  const bool is_root = call.rank() == root;
  if ((input == MPI_IN_PLACE && !is_root) || (is_root && output == MPI_IN_PLACE))
    return call.decline(MPI_ERR_BUFFER);
  algorithm::Request request = call.request();
  Operands operands;
  if (const int code = describe(call, count, type, op, &operands, &request); code != MPI_SUCCESS)
    return call.decline(code);
  request.root = root;
  return bind(call, request, operands, input, output, count, count, is_root);
}

bool allreduce(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
               MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

bool scan(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
          MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

bool exscan(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
            MPI_Op op) {
  return reduce_on_all(call, input, output, count, type, op);
}

bool reduce_scatter_block(CollectiveRequest& call, const void* input, void* output, int64_t count,
                          MPI_Datatype type, MPI_Op op) {
  int64_t all = 0;
  if (count < 0 || __builtin_mul_overflow(count, int64_t{call.size()}, &all))
    return call.decline(MPI_ERR_COUNT);
  algorithm::Request request = call.request();
  Operands operands;
  if (const int code = describe(call, all, type, op, &operands, &request); code != MPI_SUCCESS)
    return call.decline(code);
  request.blocks.uniform_bytes = operands.bytes / static_cast<uint64_t>(call.size());
  return bind_scatter(call, request, operands, input, output, all, count);
}

bool reduce_scatter(CollectiveRequest& call, const void* input, void* output, mpi::Numbers counts,
                    MPI_Datatype type, MPI_Op op) {
  if (counts.is_null()) return call.decline(MPI_ERR_ARG);
  int64_t count = 0;
  std::vector<uint64_t> sizes;
  for (int r = 0; r < call.size(); ++r) {
    if (counts[r] < 0 || __builtin_add_overflow(count, counts[r], &count)) return call.decline(MPI_ERR_COUNT);
    sizes.push_back(static_cast<uint64_t>(counts[r]));
  }
  algorithm::Request request = call.request();
  Operands operands;
  if (const int code = describe(call, count, type, op, &operands, &request); code != MPI_SUCCESS)
    return call.decline(code);
  for (uint64_t& size : sizes) size *= request.element_bytes;
  request.blocks.sizes = sizes;
  return bind_scatter(call, request, operands, input, output, count, counts[call.rank()]);
}

}  // namespace tutti::actors::arguments
