#include "algorithm/node_exchange.hpp"

#include "algorithm/segments.hpp"
#include "algorithm/subtree_blocks.hpp"

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
  // The own range already lies at its place (allgather), or does not exist (the root of gather and scatter).
  request.in_place = !is_rooted(collective) || two.my_node() == two.root_node();
  request.own_bytes = sizes[static_cast<size_t>(two.my_node())];
  request.blocks = {.sizes = sizes, .offsets = offsets};
}

bool rooted_two_level_applies(const Algorithm& inter, const Request& request, const Topology& topology,
                              uint64_t segment, std::string* why_not) {
  if (!has_two_levels(topology, why_not) || !sizes_are_known(request, why_not)) return false;
  const Collective v_form =
      request.collective == Collective::gather || request.collective == Collective::gatherv
          ? Collective::gatherv
          : Collective::scatterv;
  return segments_fit(NodeOrder(topology, request.blocks).largest_node_bytes(), segment, why_not) &&
         level_applies(inter, FlatBuilder::Level::inter,
                       level_request(request, v_form, topology.node_count(), 0, 0), why_not);
}

/// On its way a block passes a member, a leader and at most log2 N other leaders; nobody sends more than
/// everything that is on its way there. Ranges take turns only where they share memory, which the bound
/// covers by counting every range.
Cost rooted_two_level_bound(const Request& request, const Topology& topology, uint64_t segment) {
  const NodeOrder order(topology, request.blocks);
  uint64_t all = 0;
  for (int32_t node = 0; node < topology.node_count(); ++node) all += order.node_bytes(node);
  if (all == 0) return {};
  const uint64_t ranges = segment_count(order.largest_node_bytes(), segment);
  return {.rounds = (2 + static_cast<uint64_t>(topology.node_count())) * ranges,
          .busiest_bytes = 2 * all,
          .is_upper_bound = true};
}

}  // namespace tutti::algorithm
