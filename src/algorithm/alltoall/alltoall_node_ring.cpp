// Ring alltoall(v,w) over nodes: the ring of Faraj and Yuan (ICS 2005) between nodes instead of ranks. In step (d, k)
// the j-th rank of node n sends to rank j+k of node n+d and receives from rank j-k of node n-d (all modulo their
// numbers), so that in every step every link carries as many blocks out as in, and no others. Ranks of one node
// exchange their blocks at the same time.
//
//   step (1,0)   (1,1)    (2,0)    (2,1)        3 nodes × 2 ranks
//   0    ─► 2    ─► 3     ─► 4     ─► 5         0 ◄─► 1 inside the node
//   1    ─► 3    ─► 2     ─► 5     ─► 4
//
// With M ranks on the largest of N nodes: rounds at most ⌈(N-1)·M / steps⌉, busiest rank (p-1)·n bytes. The flat ring
// needs p-1 steps; those that stay partly inside a node leave links idle: on 4 × 2 ranks 7 steps compared with 6.

#include "algorithm/alltoall/exchange.hpp"

namespace tutti::algorithm {
namespace {

uint64_t step_count(const Topology& topology) {
  return static_cast<uint64_t>(topology.node_count() - 1) *
         static_cast<uint64_t>(topology.largest_node_size());
}

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  const int32_t nodes = topology.node_count(), my_node = topology.node_of(me);
  const Rank turns = topology.largest_node_size(), my_index = topology.local_index(me);
  /// The rank at an index that wraps around; -1 if a smaller node has none.
  const auto rank_at = [&](int32_t node, Rank index) {
    const auto ranks = topology.ranks_of((node + nodes) % nodes);
    const auto i = static_cast<size_t>((index + turns) % turns);
    return i < ranks.size() ? ranks[i] : -1;
  };

  ScheduleBuilder builder;
  AlltoallExchange exchange(builder, request, me, exchange_limits(parameters));
  std::vector<ExchangeStep> steps;
  for (int32_t d = 1; d < nodes; ++d)
    for (Rank k = 0; k < turns; ++k)
      steps.push_back({.to = rank_at(my_node + d, my_index + k), .from = rank_at(my_node - d, my_index - k)});
  exchange.add_steps(steps);
  for (Rank k = 1; k < turns; ++k)
    exchange.add_local(rank_at(my_node, my_index + k), rank_at(my_node, my_index - k));
  exchange.copy_own();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  Cost bound = exchange_cost(request, step_count(topology), exchange_limits(parameters));
  // A node that is smaller than the largest is idle in some steps; messages inside a node do not wait.
  if (bound.busiest_bytes > 0 && bound.rounds == 0) bound.rounds = 1;
  bound.is_upper_bound = true;
  return bound;
}

constexpr Algorithm row(Collective collective) {
  return {
      .name = "node_ring",
      .summary = "the ring between nodes: in every step all links carry the same, blocks inside a node aside",
      .source = "after Faraj, Yuan, ICS 2005",
      .collective = collective,
      .parameters = k_exchange_parameters,
      .applies = applies_always,
      .build = build,
      .cost = cost};
}

}  // namespace

extern const Algorithm alltoall_node_ring = row(Collective::alltoall);
extern const Algorithm alltoallv_node_ring = row(Collective::alltoallv);
extern const Algorithm alltoallw_node_ring = row(Collective::alltoallw);

}  // namespace tutti::algorithm
