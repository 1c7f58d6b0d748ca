// Scatter(v) in the order in which the program accesses the data (paper 002, section 5.2), for early return. The root
// sends every rank the edges of its block, then the rest of the blocks in access order, to a limited number of ranks at
// a time.
//
//   step    1    2    3           root 0, p = 4, peers = 1
//   0 ─► 1  e    b
//   0 ─► 2  e         b           e: edges, b: the rest
//   0 ─► 3  e              b
//
// Rounds at most ⌈(p-1) / peers⌉ (1 without a limit), busiest rank: the root, Σn without its own block.

#include "algorithm/block_layout.hpp"
#include "algorithm/edges.hpp"
#include "algorithm/in_flight_limit.hpp"
#include "algorithm/linear_root.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"

namespace tutti::algorithm {
namespace {

constexpr size_t k_order = 2;  // index among the parameters

void send_edges(ScheduleBuilder& builder, BufRef block, Rank to) {
  const EdgesFirst parts(block, true, true);
  for (const BufRef& edge : {parts.head, parts.tail})
    if (!edge.empty()) builder.send(Peer::rank(to), edge);
}

void send_all(ScheduleBuilder& builder, const BlockLayout& layout, Rank root,
              const ParameterSet& parameters) {
  const Rank p = layout.rank_count();
  builder.set_priority(0);
  for (Rank distance = 1; distance < p; ++distance)
    send_edges(builder, layout.block((root + distance) % p), (root + distance) % p);
  builder.set_priority(1);
  const PartsInAccessOrder order(parameters, k_order, 1);
  BlocksInLanes blocks(static_cast<uint64_t>(p - 1), parameters);
  for (Rank distance = 1; distance < p; ++distance) {
    const Rank to = (root + distance) % p;
    const BufRef body = EdgesFirst(layout.block(to), true, true).body;
    for (const PartsInAccessOrder::Run& run : order.runs())
      blocks.add(body, order, run,
                 [&](BufRef part, TaskId turn) { return builder.send(Peer::rank(to), part, turn); });
  }
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const BufRef own{Slot::output, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (me == request.root) {
    const BlockLayout layout(request.blocks, request.rank_count, Slot::input);
    send_all(builder, layout, me, parameters);
    if (!request.in_place) builder.copy(layout.block(me), own);
  } else {
    for_each_part_edges_first(own, PartsInAccessOrder(parameters, k_order, 1), parameters[k_linear_segment],
                              [&](BufRef part) { builder.recv(Peer::rank(request.root), part); });
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return {.rounds = steps_one_after_another(nonempty_blocks_of_others(request), parameters[k_linear_peers]),
          .busiest_bytes = bytes_of_others(request),
          .is_upper_bound = true};
}

constexpr Parameter k_parameters[] = {
    segment_parameter(16 << 10, "bytes per message"),
    k_linear_parameters[k_linear_peers],
    k_direction_parameter,
    k_stride_parameter,
};

constexpr Algorithm row(Collective collective) {
  return {
      .name = "ordered",
      .summary =
          "the edges of all blocks, then the blocks, to some ranks at a time: for calls that return early",
      .source = "after Li, Sun, Huo, Ma: T-NBC, section 5.2",
      .collective = collective,
      .parameters = k_parameters,
      .applies = linear_applies,
      .build = build,
      .cost = cost,
      .is_for_early_return = true};
}

}  // namespace

extern const Algorithm scatter_ordered = row(Collective::scatter);
extern const Algorithm scatterv_ordered = row(Collective::scatterv);

}  // namespace tutti::algorithm
