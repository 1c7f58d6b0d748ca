#pragma once
// Requests with blocks of equal size, as benchmarks, the printer and the simulator use them.

#include <cstdint>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

struct UniformCall {
  Collective collective = Collective::barrier;
  Rank rank_count = 1;
  Rank root = 0;
  /// Message size as in benchmarks: bytes of the message, of the vector (reductions; reduce_scatter divides it into
  /// blocks), or of the block of each rank (the others).
  uint64_t bytes = 0;
  bool in_place = false;
  bool commutative = true;
};

/// The request of `rank`. reduce_scatter and reduce_scatter_block: the vector is `bytes` rounded down to blocks of
/// equal size.
Request request_of(const UniformCall& call, Rank rank);

}  // namespace tutti::algorithm
