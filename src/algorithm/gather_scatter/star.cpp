#include "algorithm/gather_scatter/star.hpp"

#include <algorithm>

#include "algorithm/segments.hpp"

namespace tutti::algorithm {

namespace {

// Properties of the blocks of all ranks except the root. If the sizes are not known, this rank's block stands for all.

/// The blocks if they are known; otherwise equal blocks of this rank's size.
Blocks judged_blocks(const Request& request) {
  return request.blocks.known ? request.blocks : Blocks{.uniform_bytes = request.own_bytes};
}

uint64_t nonempty_blocks_of_others(const Request& request) {
  const Blocks blocks = judged_blocks(request);
  int64_t busy = blocks.uniform_bytes > 0 ? request.rank_count - 1 : 0;
  if (!blocks.is_uniform())
    busy = std::count_if(blocks.sizes.begin(), blocks.sizes.end(), [](uint64_t size) { return size > 0; }) -
           (blocks.size(request.root) > 0);
  return static_cast<uint64_t>(busy);
}

uint64_t largest_block_of_others(const Request& request) {
  const Blocks blocks = judged_blocks(request);
  if (blocks.is_uniform()) return request.rank_count > 1 ? blocks.uniform_bytes : 0;
  uint64_t largest = 0;
  for (Rank r = 0; r < request.rank_count; ++r)
    if (r != request.root) largest = std::max(largest, blocks.size(r));
  return largest;
}

uint64_t bytes_of_others(const Request& request) {
  const Blocks blocks = judged_blocks(request);
  return blocks.total(request.rank_count) - blocks.size(request.root);
}

}  // namespace

bool star_applies(const RankInvariantRequest& request, const Topology&, const ParameterSet& parameters,
                  std::string* why_not) {
  // If only the root knows the sizes, no rank-invariant check is possible.
  if (!request.counts_known_everywhere) return true;
  return segments_fit(largest_block_of_others(request.representative()), parameters[k_star_segment], why_not);
}

Cost gather_star_cost(const Request& request, const Topology&, const ParameterSet&) {
  const uint64_t largest = largest_block_of_others(request);
  return {largest > 0, largest};
}

Cost scatter_star_cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return {steps_one_after_another(nonempty_blocks_of_others(request), parameters[k_star_peers]),
          bytes_of_others(request)};
}

}  // namespace tutti::algorithm
