#include "algorithm/block_layout.hpp"

#include <numeric>

namespace tutti::algorithm {

BlockLayout::BlockLayout(const Blocks& blocks, Rank rank_count, schedule::Slot slot)
    : blocks_(blocks), rank_count_(rank_count), slot_(slot) {
  if (blocks.is_uniform()) return;
  before_.resize(static_cast<size_t>(rank_count) + 1);
  std::partial_sum(blocks.sizes.begin(), blocks.sizes.begin() + rank_count, before_.begin() + 1);
}

}  // namespace tutti::algorithm
