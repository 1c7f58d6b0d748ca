#include "algorithm/subtree_blocks.hpp"

namespace tutti::algorithm {

uint64_t SubtreeBlocks::rounds() const {
  if (layout_.is_uniform()) return layout_.size(0) == 0 ? 0 : tree_.height();
  uint64_t longest = 0;
  for (Rank v = 1; v < tree_.count; ++v)
    if (layout_.size(rank(v)) > 0) longest = std::max(longest, tree_.depth(v));
  return longest;
}

uint64_t SubtreeBlocks::largest_subtree_bytes() const {
  uint64_t largest = 0;
  for (const auto& child : tree_.children(0)) largest = std::max(largest, bytes(child.position, child.span));
  return largest;
}

bool sizes_are_known(const Request& request, std::string* why_not) {
  if (request.counts_known_everywhere) return true;
  *why_not = "only the root knows the sizes of the blocks, and other ranks would have to pass them on";
  return false;
}

}  // namespace tutti::algorithm
