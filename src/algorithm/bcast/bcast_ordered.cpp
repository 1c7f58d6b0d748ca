// Broadcast in the order in which the program accesses the data (paper 002, section 5.2.1), for early return. The
// message follows a chain of all ranks, node by node: first its edges, then segment after segment in access order.
//
//   0 ─► 1 ═► 2 ─► 3        ═► between nodes: each link carries the message once
//
// Rounds p-1 (the path of a segment down the chain), busiest rank n bytes.

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/tree_bcast.hpp"
#include "algorithm/edges.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"
#include "pattern/chain.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10), k_direction_parameter, k_stride_parameter};

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  const TreePlace place = chain_place(node_by_node(topology, request.root), me);
  ScheduleBuilder builder;
  for_each_part_edges_first({Slot::output, 0, request.bytes}, PartsInAccessOrder(parameters, 1, 1),
                            parameters[0], [&](BufRef part) { pass_down(builder, place, part); });
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return tree_bcast_cost(request, pattern::Chain{request.rank_count});
}

}  // namespace

extern const Algorithm bcast_ordered = {
    .name = "ordered",
    .summary = "the edges, then segments down a chain of all ranks: for calls that return early",
    .source = "Li, Sun, Huo, Ma: T-NBC, section 5.2.1",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = message_in_segments<0>,
    .build = build,
    .cost = cost,
    .is_for_early_return = true,
};

}  // namespace tutti::algorithm
