#include "algorithm/node_order.hpp"

#include <algorithm>

namespace tutti::algorithm {

NodeOrder::NodeOrder(const topology::Topology& topology, const Blocks& blocks)
    : topology_(topology), blocks_(blocks), node_bytes_(static_cast<size_t>(topology.node_count()), 0) {
  const bool offsets_given = blocks.is_uniform() || !blocks.offsets.empty();
  uint64_t packed = 0;
  for (Rank rank = 0; rank < topology.rank_count(); ++rank) {
    offsets_.push_back(offsets_given ? blocks.offset(rank) : packed);
    packed += blocks.size(rank);
  }
  for (int32_t node = 0; node < topology.node_count(); ++node) {
    uint64_t expected = 0;  // required offset of the next block if the node block is contiguous
    for (Rank rank : topology.ranks_of(node)) {
      const uint64_t size = blocks.size(rank);
      if (size == 0) continue;
      uint64_t& bytes = node_bytes_[static_cast<size_t>(node)];
      const uint64_t start = offsets_[static_cast<size_t>(rank)];
      if (bytes > 0 && start != expected) is_contiguous_ = false;
      expected = start + size;
      bytes += size;
    }
  }
}

uint64_t NodeOrder::largest_node_bytes() const {
  return *std::max_element(node_bytes_.begin(), node_bytes_.end());
}

uint64_t NodeOrder::range_bytes(int32_t node, uint64_t from, uint64_t segment) const {
  const uint64_t all = node_bytes(node);
  return from >= all ? 0 : std::min(segment, all - from);
}

std::vector<NodeOrder::Piece> NodeOrder::pieces(int32_t node, uint64_t from, uint64_t segment) const {
  std::vector<Piece> found;
  const uint64_t to = from + range_bytes(node, from, segment);
  uint64_t block_start = 0;  // offset of the current rank's block in the node block
  for (Rank rank : topology_.ranks_of(node)) {
    const uint64_t size = blocks_.size(rank);
    const uint64_t first = std::max(from, block_start);
    const uint64_t last = std::min(to, block_start + size);
    if (first < last)
      found.push_back({.rank = rank,
                       .in_block = first - block_start,
                       .in_range = first - from,
                       .in_vector = offsets_[static_cast<size_t>(rank)] + first - block_start,
                       .length = last - first});
    block_start += size;
  }
  return found;
}

uint64_t NodeOrder::node_offset(int32_t node) const {
  for (Rank rank : topology_.ranks_of(node))
    if (blocks_.size(rank) > 0) return offsets_[static_cast<size_t>(rank)];
  return 0;
}

}  // namespace tutti::algorithm
