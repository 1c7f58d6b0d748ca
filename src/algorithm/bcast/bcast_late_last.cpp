// Pipelined broadcast with one known late rank (paper 000 §2.1: a rank that waits for the late rank delays all ranks
// behind it). Segments follow each other down a chain of nodes in which the late rank's node is the last one (unless
// the root is on it), and are forwarded inside a node to the late rank last.
//
//   nodes {0 1} {2 3} {4 5}, root 0, late 2        segment s:  ═► between nodes   ─► inside a node
//
//   0 ═══ s ═► 4 ═══ s ═► 3
//   └─ s ─► 1  └─ s ─► 5  └─ s ─► 2
//
// Rounds: at most N-1 between N nodes, and one inside a node. A leader sends n bytes to the next leader and to each
// other rank of its node.

#include "algorithm/bcast/tree_bcast.hpp"
#include "algorithm/late_order.hpp"

namespace tutti::algorithm {
namespace {

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  return build_tree_bcast(late_last_place(topology, me, request.root, static_cast<Rank>(parameters[0])),
                          {request.bytes, parameters[1]});
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  const auto largest = static_cast<uint64_t>(topology.largest_node_size());
  return {.rounds = static_cast<uint64_t>(topology.node_count() - 1) + (largest > 1 ? 1 : 0),
          .busiest_bytes = request.bytes * largest,
          .is_upper_bound = true};
}

}  // namespace

extern const Algorithm bcast_late_last = {
    .name = "late_last",
    .summary = "segments follow each other down a chain of nodes that ends at a rank known to be late",
    .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.1",
    .collective = Collective::bcast,
    .parameters = k_late_parameters,
    .applies = late_parameters_fit,
    .build = build,
    .cost = cost,
    .is_for_late_rank = true,
};

}  // namespace tutti::algorithm
