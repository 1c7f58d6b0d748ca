#pragma once
// Descriptions of the buffers that a collective call passes.
//
// The functions of this folder turn the arguments of a collective into a request and bound buffers, for both front
// ends: the preload library (mpi/call/call.hpp) and ranks as threads (actors/calls/collective_request.hpp). `Call` has:
//
//   rank(), size(), request()           of the communicator; a request of this collective without sizes
//   set_root(root)                      false: there is no such rank
//   goes_native(bytes, is_known)        true: the native MPI takes the call; asked before anything is set up
//   decline(error)                      the arguments are invalid: the native MPI takes the call and returns the right
//                                       error, or without a native MPI the call ends with `error`. Returns false
//   refuse(error)                       the call ends with an error that the native MPI would detect too late. Returns
//                                       true
//   refuse_missing_buffer()             as one of the two
//   prepare(request)                    decides what serves the call. False: the native MPI takes it
//   buffers()                           the call's buffers
//   carry_out(bound, load, input, output)   runs the operation, or prepares for it. Returns true
//   BoundOperator                       a reduction's operator on a type
//   bind_operator(op, type, bound)      binds it, and keeps the type if the operation outlives the call. Returns an
//                                       error class
//   use_operator(bound)                 the operation reduces by it; called before carry_out()
//
// A function returns false, without side effects, if the native MPI takes the call or the call was declined; true if
// the call has its result. The choice between Tutti and the native MPI depends only on data that MPI requires to be the
// same on all ranks; local data (layouts, MPI_IN_PLACE, counts of v-variants) is handled on its rank.

#include <mpi.h>

#include <cstdint>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/mpi/data/alias.hpp"
#include "collective/mpi/data/arguments.hpp"
#include "collective/mpi/data/buffers.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::mpi::arguments {

using base::Status;
using Slot = StagingBuffer::Slot;

/// Elements of one type on one side of a call: a message, or a block of each rank.
struct Side {
  Type type;
  int64_t count = 0;
  uint64_t bytes = 0;

  /// False: see error().
  bool describe(int64_t element_count, MPI_Datatype datatype) {
    count = element_count;
    return measure(element_count, datatype, &type, &bytes);
  }
  /// The error class of arguments that cannot be described.
  int error() const { return count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE; }
  bool is_missing(const void* buffer) const { return mpi::is_missing(buffer, type, bytes); }
  /// True if the total size of `blocks` of them is representable.
  bool fits(int blocks) const {
    uint64_t all_bytes = 0;
    int64_t all_elements = 0;
    return !__builtin_mul_overflow(bytes, static_cast<uint64_t>(blocks), &all_bytes) &&
           !__builtin_mul_overflow(count, static_cast<int64_t>(blocks), &all_elements);
  }
};

/// True if the native MPI refuses the alias of this rank's block `own` and the buffer `all`, which has a block for
/// every rank.
inline bool is_own_block_refused(const void* own, const Side& one, const void* all, const Side& each,
                                 int rank) {
  return one.count == each.count &&
         is_refused_alias({own, one.count, one.type}, {all, each.count, each.type}, rank * each.count);
}

/// The same if the blocks have different sizes: this rank's has `counts[rank]` elements at `displacements[rank]`.
/// Neither array is null.
inline bool is_own_block_refused(const void* own, const Side& one, const void* all, const Numbers& counts,
                                 const Numbers& displacements, MPI_Datatype type, int rank) {
  Type described;
  return mpi::describe(type, &described) &&
         is_refused_alias({own, one.count, one.type}, {all, counts[rank], described}, displacements[rank]);
}

/// The error class of counts with which blocks cannot be described.
inline int error_of(const Numbers& counts, int rank_count) {
  if (counts.is_null()) return MPI_ERR_ARG;
  for (int r = 0; r < rank_count; ++r)
    if (counts[r] < 0) return MPI_ERR_COUNT;
  return MPI_ERR_TYPE;
}

}  // namespace tutti::mpi::arguments
