#include "algorithm/node_exchange.hpp"

namespace tutti::algorithm {

NodeExchange::NodeExchange(const Request& whole, Collective collective, const NodeOrder& order,
                           const TwoLevel& two, uint64_t from, uint64_t segment, bool in_vector)
    : request(level_request(whole, collective, two.node_count(), is_rooted(collective) ? two.root_node() : 0,
                            0)) {
  uint64_t packed = 0;
  for (int32_t node = 0; node < two.node_count(); ++node) {
    const bool takes_part = !is_rooted(collective) || node != two.root_node();
    sizes.push_back(takes_part ? order.range_bytes(node, from, segment) : 0);
    offsets.push_back(in_vector ? order.node_offset(node) + from : packed);
    packed += sizes.back();
  }
  // This node's range is already at its offset (allgather) or does not exist (the root of gather and scatter).
  request.in_place = !is_rooted(collective) || two.my_node() == two.root_node();
  request.own_bytes = sizes[static_cast<size_t>(two.my_node())];
  request.blocks = {.sizes = sizes, .offsets = offsets};
}

}  // namespace tutti::algorithm
