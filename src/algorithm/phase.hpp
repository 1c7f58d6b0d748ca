#pragma once
// Types that the phases of algorithms share. A phase adds the tasks of one rank to a builder.

#include <functional>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "pattern/shape.hpp"

namespace tutti::algorithm {

using TaskIds = std::vector<TaskId>;

/// The ranks of a phase, by position 0 … count - 1.
struct Members {
  Rank count = 1;
  Rank me = 0;
  std::function<Peer(Rank position)> peer;
};

/// All ranks; `first` has position 0.
inline Members ranks_from(Rank first, const Request& request, Rank me) {
  const Rank p = request.rank_count;
  return {p, (me - first + p) % p, [p, first](Rank position) { return Peer::rank((position + first) % p); }};
}

/// The peers of a nested schedule of all ranks.
inline std::vector<Peer> all_ranks(Rank count) {
  std::vector<Peer> ranks;
  for (Rank rank = 0; rank < count; ++rank) ranks.push_back(Peer::rank(rank));
  return ranks;
}

/// The schedule of a reduction of one rank, whose operand is the result.
inline BuildResult reduce_alone(const Request& request) {
  ScheduleBuilder builder;
  builder.copy(request.operand(), {Slot::output, 0, request.bytes});
  return std::move(builder).finish();
}

/// Offset of block i of a vector in bytes; block `count` is the end of the vector.
using BlockOffset = std::function<uint64_t(Rank block)>;

}  // namespace tutti::algorithm
