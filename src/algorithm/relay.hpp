#pragma once
// Algorithms whose blocks pass through ranks that do not know their sizes (algorithm.hpp, Relay). A call has two parts:
// a schedule that brings every rank the sizes of what will pass through it, and that of the blocks, built with them.

#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// Bytes of a size on its way.
inline constexpr uint64_t k_size_bytes = sizeof(uint64_t);

/// What a rank sends at most: the blocks that it has for others, and what passes through it, which are so many
/// blocks at most. 0 where the sizes are unknown.
uint64_t relayed_bytes(const Request& request, uint64_t most_passing);

/// The requests of all ranks, with the sizes of what passes through them: what the first part would have brought.
class RelayedRequests {
 public:
  RelayedRequests(const Algorithm& algorithm, std::span<const Request> every_rank, const Topology& topology,
                  const ParameterSet& parameters);
  /// As they were where the algorithm has no relay.
  std::span<const Request> every_rank() const { return requests_; }

 private:
  std::vector<Request> requests_;
  std::vector<std::vector<uint64_t>> sizes_;
};

/// Both parts as one schedule, for those who look at what one rank does. The sizes of the first are in scratch memory.
/// `request` has its passing_blocks.
base::Result<Schedule> build_whole(const Choice& choice, const Request& request, Rank me,
                                   const Topology& topology);

}  // namespace tutti::algorithm
