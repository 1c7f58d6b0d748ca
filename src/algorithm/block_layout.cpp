#include "algorithm/block_layout.hpp"

#include <numeric>

namespace tutti::algorithm {

BlockLayout::BlockLayout(const Blocks& blocks, Rank rank_count, schedule::Slot slot)
    : blocks_(blocks), rank_count_(rank_count), slot_(slot) {
  if (blocks.is_uniform()) return;
  before_.resize(static_cast<size_t>(rank_count) + 1);
  std::partial_sum(blocks.sizes.begin(), blocks.sizes.begin() + rank_count, before_.begin() + 1);
}

uint64_t BlockLayout::smallest_bytes() const {
  if (blocks_.is_uniform()) return blocks_.uniform_bytes;
  return *std::min_element(blocks_.sizes.begin(), blocks_.sizes.begin() + rank_count_);
}

}  // namespace tutti::algorithm
