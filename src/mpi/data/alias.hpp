#pragma once
// One buffer for both sides of a call (reductions, whose sides have one type, see to it themselves).

#include <cstdint>

#include "mpi/data/arguments.hpp"
#include "mpi/data/datatype.hpp"

namespace tutti::mpi {

/// A buffer of the program. Displacements are in elements.
struct Place {
  const void* buffer;
  int64_t count;
  const Type& type;
};

/// Mostly an alias is an error of the program, but not always: two derived types may begin at one address and
/// share no byte. MPICH refuses what it recognises as an error, and must get the chance; everything else it
/// carries out. These are its own conditions (4.0 to 4.2), rank by rank: were more left to it on one rank
/// than it refuses, that rank would wait there for peers that are in Tutti. Open MPI refuses nothing.
///
/// `own` is the block of the side where this rank has only that; its counterpart lies `displacement` elements
/// from the beginning of `all`, which has `all.count` of them for this rank.
bool is_refused_alias(const Place& own, const Place& all, int64_t displacement);

/// Alltoallv and alltoallw: `are_same_types` compares the types, or the arrays of types.
bool is_refused_alias(const void* input, const Numbers& send_counts, const void* output,
                      const Numbers& receive_counts, bool are_same_types);

/// Alltoall.
bool is_refused_alias(const Place& input, const Place& output);

/// Reductions refuse one buffer on both sides (MPICH's own switch can tell it not to).
bool refuses_aliases();

}  // namespace tutti::mpi
