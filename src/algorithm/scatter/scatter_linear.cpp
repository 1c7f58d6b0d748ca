// Linear scatter(v): the root sends every rank its block, to a limited number of ranks at a time.
//
//   step    1  2  3           root 0, p = 5, peers = 2
//   0 ─► 1  1
//   0 ─► 2  2                 two lanes: each send waits for the previous one of its lane
//   0 ─► 3     3
//   0 ─► 4     4
//
// Rounds ⌈(p-1) / peers⌉ (of nonempty blocks; 1 without a limit), busiest rank: the root, Σn without its own block.
// There are no copies: all blocks are received at their final offsets. With few peers at a time the first blocks arrive
// early, instead of all together at the end. A rank needs only its own size.

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"
#include "algorithm/in_flight_limit.hpp"
#include "algorithm/linear_root.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

void send_all(ScheduleBuilder& builder, const BlockLayout& layout, Rank root,
              const ParameterSet& parameters) {
  const Rank p = layout.rank_count();
  BlocksInLanes blocks(static_cast<uint64_t>(p - 1), parameters);
  for (Rank distance = 1; distance < p; ++distance) {
    const Rank to = (root + distance) % p;
    blocks.add(layout.block(to),
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
    const pattern::Segments segments{own.length, parameters[k_linear_segment]};
    for (uint64_t i = 0; i < segments.count(); ++i)
      builder.recv(Peer::rank(request.root), own.part(segments.offset(i), segments.length(i)));
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return {steps_one_after_another(nonempty_blocks_of_others(request), parameters[k_linear_peers]),
          bytes_of_others(request)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "linear",
          .summary = "the root sends every rank its block, to some at a time",
          .source = "folklore",
          .collective = collective,
          .parameters = k_linear_parameters,
          .applies = linear_applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm scatter_linear = row(Collective::scatter);
extern const Algorithm scatterv_linear = row(Collective::scatterv);

}  // namespace tutti::algorithm
