#pragma once
// Detects calls that MPICH refuses because they use one buffer for input and output. (Reductions, whose sides have one
// type, check this themselves.)

#include <cstdint>

#include "collective/mpi/data/arguments.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::mpi {

/// A buffer of the program. Displacements are in elements.
struct UserBuffer {
  const void* buffer;
  int64_t count;
  const Type& type;
};

/// An alias is usually an error of the program, but not always: two derived types may begin at one address and share no
/// byte. MPICH refuses the calls that it recognises as errors, so they must reach it, and carries out all others. The
/// functions use MPICH's own conditions (4.0 to 4.2) on every rank: if one rank left a call to MPICH that it does not
/// refuse, that rank would wait there for peers that are in Tutti. Open MPI refuses nothing.
///
/// `own` is this rank's block, on the side that has only this one. Its counterpart is `displacement` elements from the
/// beginning of `all` and has `all.count` elements.
bool is_refused_alias(const UserBuffer& own, const UserBuffer& all, int64_t displacement);

/// For alltoallv and alltoallw. `are_same_types`: the types, or the arrays of types, are identical.
bool is_refused_alias(const void* input, const Numbers& send_counts, const void* output,
                      const Numbers& receive_counts, bool are_same_types);

/// For alltoall.
bool is_refused_alias(const UserBuffer& input, const UserBuffer& output);

/// True if the MPI refuses reductions with one buffer on both sides (MPICH, unless its own setting disables that).
bool refuses_aliases();

}  // namespace tutti::mpi
