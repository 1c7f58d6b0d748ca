#pragma once
// Algorithms that forward blocks through ranks that do not know their sizes (algorithm.hpp, BlockForwarding). A call
// has two parts: a schedule that delivers to every rank the sizes of the blocks that will pass through it, and the
// schedule of the blocks, built from these sizes.

#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// Bytes of one transferred size.
inline constexpr uint64_t k_size_bytes = sizeof(uint64_t);

/// Upper limit of the bytes that a rank sends: its own blocks for other ranks, and at most `most_passing` forwarded
/// blocks. 0 if the sizes are unknown.
uint64_t relayed_bytes(const Request& request, uint64_t most_passing);

/// The requests of all ranks with passing_blocks filled in, as after the first part.
class TwoPhaseRequests {
 public:
  TwoPhaseRequests(const Algorithm& algorithm, std::span<const Request> every_rank, const Topology& topology,
                   const ParameterSet& parameters);
  /// The unchanged requests if the algorithm has no forwarding.
  std::span<const Request> every_rank() const { return requests_; }

 private:
  std::vector<Request> requests_;
  std::vector<std::vector<uint64_t>> sizes_;
};

/// Both parts as one schedule, for printing and analysis of one rank. The sizes of the first part are in scratch
/// memory. `request` must have its passing_blocks.
BuildResult build_whole(const Choice& choice, const Request& request, Rank me, const Topology& topology);

}  // namespace tutti::algorithm
