// Gather(v) in the order in which the program accesses the data (paper 002, section 5.2), for early return. The root
// receives the edges of its buffer first: the head of block 0, the tail of block p-1, and the edges beside its own
// block. The other parts of the blocks follow in access order (the drawing shows the forward order), from a limited
// number of ranks at a time.
//
//   0 ◄─ 1  block 1, then          root 0, p = 4
//   0 ◄─ 2  block 2, then
//   0 ◄─ 3  tail first, then the rest of block 3
//
// Rounds at most 1 (no sender waits for another message), busiest rank max n bytes.

#include "algorithm/block_layout.hpp"
#include "algorithm/edges.hpp"
#include "algorithm/linear_root.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"

namespace tutti::algorithm {
namespace {

constexpr size_t k_order = 2;  // index among the parameters

/// The blocks next to the root's own block have edges, too: the own block is available at once, but shares its first
/// and last pages with its neighbours.
EdgesFirst parts_of(BufRef block, Rank from, const Request& request) {
  return {block, from == 0 || from == request.root + 1,
          from == request.rank_count - 1 || from == request.root - 1};
}

void receive_all(ScheduleBuilder& builder, const BlockLayout& layout, const Request& request,
                 const ParameterSet& parameters) {
  const Rank p = request.rank_count, root = request.root;
  builder.set_priority(0);
  for (Rank from = 0; from < p; ++from) {
    const EdgesFirst parts = parts_of(layout.block(from), from, request);
    for (const BufRef& edge : {parts.head, parts.tail})
      if (from != root && !edge.empty()) builder.recv(Peer::rank(from), edge);
  }
  builder.set_priority(1);
  const PartsInAccessOrder order(parameters, k_order, p);
  BlocksInLanes blocks(order.runs().size(), parameters);
  for (const PartsInAccessOrder::Run& run : order.runs()) {
    const Rank from = run.block;
    if (from == root) continue;
    blocks.add(parts_of(layout.block(from), from, request).body, order, run,
               [&](BufRef part, TaskId turn) { return builder.recv(Peer::rank(from), part, turn); });
  }
}

void send_own(ScheduleBuilder& builder, BufRef own, Rank me, const Request& request,
              const ParameterSet& parameters) {
  const EdgesFirst parts = parts_of(own, me, request);
  for (const BufRef& edge : {parts.head, parts.tail})
    if (!edge.empty()) builder.send(Peer::rank(request.root), edge);
  const PartsInAccessOrder order(parameters, k_order, request.rank_count);
  order.for_each_run_of(me, [&](const PartsInAccessOrder::Run& run) {
    order.for_each_segment(run, parts.body, parameters[k_linear_segment],
                           [&](BufRef part) { builder.send(Peer::rank(request.root), part); });
  });
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const BufRef own{Slot::input, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (me == request.root) {
    const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
    receive_all(builder, layout, request, parameters);
    if (!request.in_place) builder.copy(own, layout.block(me));
  } else {
    send_own(builder, own, me, request, parameters);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const uint64_t largest = largest_block_of_others(request);
  return {largest > 0, largest};
}

constexpr Parameter k_parameters[] = {
    segment_parameter(16 << 10, "bytes per message"),
    {.name = "peers",
     .summary = "ranks that the root serves at a time; 0: all",
     .default_value = 2,
     .min = 0,
     .max = 1 << 20},
    k_direction_parameter,
    k_stride_parameter,
};

constexpr Algorithm row(Collective collective) {
  return {.name = "ordered",
          .summary = "the edges of the root's buffer, then the blocks in order: for calls that return early",
          .source = "after Li, Sun, Huo, Ma: T-NBC, section 5.2",
          .collective = collective,
          .parameters = k_parameters,
          .applies = linear_applies,
          .build = build,
          .cost = cost,
          .is_for_early_return = true};
}

}  // namespace

extern const Algorithm gather_ordered = row(Collective::gather);
extern const Algorithm gatherv_ordered = row(Collective::gatherv);

}  // namespace tutti::algorithm
