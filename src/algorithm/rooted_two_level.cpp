#include "algorithm/rooted_two_level.hpp"

#include "algorithm/segments.hpp"

namespace tutti::algorithm {

namespace {

uint64_t memory_bytes(const TwoLevel& two, bool is_root, bool uses_vector, uint64_t segment) {
  if (!two.leads() || uses_vector) return 0;
  return is_root ? segment * static_cast<uint64_t>(two.node_count()) : segment;
}

}  // namespace

RootedTwoLevel::RootedTwoLevel(const Algorithm& inter, const Request& request, Rank me,
                               const Topology& topology, uint64_t wanted_segment)
    : request_(request),
      me_(me),
      inter_(inter),
      two_(topology, me, request.root),
      order_(topology, request.blocks),
      segment_(segment_bytes(order_.largest_node_bytes(), wanted_segment)),
      flat_(Topology::flat(two_.node_count())),
      memory_(builder_, memory_bytes(two_, is_root(), uses_vector(), segment_), 0) {}

base::Status RootedTwoLevel::add_segments() {
  if (is_on_root_node() && !is_root()) return {};
  for (uint64_t from = 0, index = 0; from < order_.largest_node_bytes(); from += segment_, ++index)
    if (base::Status status = add_segment(from, index); !status) return status;
  return {};
}

base::Result<Schedule> RootedTwoLevel::flat_schedule(const NodeExchange& exchange) const {
  return inter_.build(exchange.request, two_.my_node(), flat_, default_parameters(inter_));
}

bool RootedTwoLevel::applies(const Algorithm& inter, const Request& request, const Topology& topology,
                             uint64_t segment, std::string* why_not) {
  if (!applies_if<has_two_levels, sizes_are_known>(request, topology, {}, why_not)) return false;
  const Collective v_form =
      request.collective == Collective::gather || request.collective == Collective::gatherv
          ? Collective::gatherv
          : Collective::scatterv;
  return segments_fit(NodeOrder(topology, request.blocks).largest_node_bytes(), segment, why_not) &&
         level_applies(&inter, Level::inter, level_request(request, v_form, topology.node_count(), 0, 0),
                       why_not);
}

/// A block is forwarded by a member, by a leader, and by at most log2 N other leaders; no rank sends more than all
/// blocks that take this path. Ranges wait for each other only if they share memory, which the bound covers by counting
/// every range.
Cost RootedTwoLevel::cost(const Request& request, const Topology& topology, uint64_t segment) {
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
