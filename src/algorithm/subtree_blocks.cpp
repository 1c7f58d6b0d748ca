#include "algorithm/subtree_blocks.hpp"

namespace tutti::algorithm {

bool sizes_are_known(const Request& request, std::string* why_not) {
  if (request.counts_known_everywhere) return true;
  *why_not = "only the root knows the sizes of the blocks, and other ranks would have to pass them on";
  return false;
}

}  // namespace tutti::algorithm
