#pragma once
// Calls in which every block has the same size, as benchmarks, the printer and the simulation make them.

#include <cstdint>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

struct UniformCall {
  Collective collective = Collective::barrier;
  Rank rank_count = 1;
  Rank root = 0;
  /// As benchmarks have it: of the message, of the vector (reductions; reduce_scatter cuts it into blocks), or of the
  /// block of each rank (the others).
  uint64_t bytes = 0;
  bool in_place = false;
  bool commutative = true;
};

/// What `rank` asks for. reduce_scatter and reduce_scatter_block: the vector is `bytes` less what does not make blocks
/// of equal size.
Request request_of(const UniformCall& call, Rank rank);

}  // namespace tutti::algorithm
