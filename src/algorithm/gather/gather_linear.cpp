// Linear gather(v): every rank sends its block directly to the root, which receives from a limited number of ranks at a
// time.
//
//   step    1  2  3           root 0, p = 5, peers = 2
//   1 ─► 0  1
//   2 ─► 0  2                 two lanes: each receive waits for the previous one of its lane
//   3 ─► 0     3
//   4 ─► 0     4
//
// Rounds 1 (no sender waits for another one's message), busiest rank: max n bytes. There are no copies: all
// blocks are received at their final offsets. With a rendezvous transport a send does not start before its receive:
// with few peers at a time their flows do not congest the root's link. A rank needs only its own size.

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"
#include "algorithm/linear_root.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

void receive_all(ScheduleBuilder& builder, const BlockLayout& layout, Rank root,
                 const ParameterSet& parameters) {
  const Rank p = layout.rank_count();
  BlocksInLanes blocks(static_cast<uint64_t>(p - 1), parameters);
  for (Rank distance = 1; distance < p; ++distance) {
    const Rank from = (root + distance) % p;
    blocks.add(layout.block(from),
               [&](BufRef part, TaskId turn) { return builder.recv(Peer::rank(from), part, turn); });
  }
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const BufRef own{Slot::input, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (me == request.root) {
    const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
    receive_all(builder, layout, me, parameters);
    if (!request.in_place) builder.copy(own, layout.block(me));
  } else {
    const pattern::Segments segments{own.length, parameters[k_linear_segment]};
    for (uint64_t i = 0; i < segments.count(); ++i)
      builder.send(Peer::rank(request.root), own.part(segments.offset(i), segments.length(i)));
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const uint64_t largest = largest_block_of_others(request);
  return {largest > 0, largest};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "linear",
          .summary = "every rank sends straight to the root, some at a time",
          .source = "folklore",
          .collective = collective,
          .parameters = k_linear_parameters,
          .applies = linear_applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm gather_linear = row(Collective::gather);
extern const Algorithm gatherv_linear = row(Collective::gatherv);

}  // namespace tutti::algorithm
