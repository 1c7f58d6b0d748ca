// TUTTI_NODES: a map that is read has one node per rank. The first byte is the number of ranks.

#include "target.hpp"
#include "topology/node_map.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto nodes = topology::parse_nodes(fuzz::text_of(data + 1, size - 1), data[0]);
  if (!nodes) {
    fuzz::require_message(nodes.status().message());
    return 0;
  }
  fuzz::require(nodes->size() == data[0], "a node per rank");
  for (const int32_t node : *nodes) fuzz::require(node >= 0, "node numbers are not negative");
  return 0;
}
