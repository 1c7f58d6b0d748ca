#include "algorithm/reduce_scatter/packed_blocks.hpp"

#include <numeric>

namespace tutti::algorithm {

BlockOffset packed_blocks(const Request& request) {
  if (request.blocks.is_uniform())
    return
        [bytes = request.blocks.uniform_bytes](Rank block) { return bytes * static_cast<uint64_t>(block); };
  const auto sizes = request.blocks.sizes;
  std::vector<uint64_t> offsets(sizes.size() + 1);
  std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
  return [offsets = std::move(offsets)](Rank block) { return offsets[static_cast<size_t>(block)]; };
}

}  // namespace tutti::algorithm
