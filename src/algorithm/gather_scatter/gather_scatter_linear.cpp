// Linear gather(v) and scatter(v): the root receives a block from every rank, or sends one to every rank, from or to a
// limited number of ranks at a time.
//
//   step    1  2  3           root 0, p = 5, peers = 2, gather; a scatter has the arrows reversed
//   1 ─► 0  1
//   2 ─► 0  2                 two lanes: each message of the root waits for the previous one of its lane
//   3 ─► 0     3
//   4 ─► 0     4
//
// Rounds of a gather: 1 (no sender waits for another one's message); of a scatter: ⌈(p-1) / peers⌉ (of nonempty blocks;
// 1 without a limit). Busiest rank in a gather: max n bytes; in a scatter: the root, Σn without its own block. There
// are no copies: all blocks are received at their final offsets. With a rendezvous transport a send does not start
// before its receive: with few peers at a time their flows do not congest the root's link, and the first blocks of a
// scatter arrive early instead of all together at the end. A rank needs only its own size.

#include "algorithm/gather_scatter/star.hpp"

namespace tutti::algorithm {
namespace {

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  Star star(request, me);
  if (star.is_root()) {
    const BlockLayout blocks = star.blocks();
    BlocksInLanes lanes(static_cast<uint64_t>(p - 1), parameters);
    for (Rank distance = 1; distance < p; ++distance) {
      const Rank other = (me + distance) % p;
      lanes.add(blocks.block(other), [&](BufRef part, TaskId turn) { return star.move(other, part, turn); });
    }
    star.copy_own(blocks.block(me));
  } else {
    const pattern::Segments segments{request.own_bytes, parameters[k_star_segment]};
    for (uint64_t i = 0; i < segments.count(); ++i)
      star.move(request.root, star.own().part(segments.offset(i), segments.length(i)));
  }
  return std::move(star).finish();
}

constexpr Algorithm row(Collective collective, std::string_view summary, decltype(Algorithm::cost) cost) {
  return {.name = "linear",
          .summary = summary,
          .source = "folklore",
          .collective = collective,
          .parameters = k_star_parameters,
          .applies = star_applies,
          .build = build,
          .cost = cost};
}

constexpr Algorithm gather_row(Collective collective) {
  return row(collective, "every rank sends straight to the root, some at a time", gather_star_cost);
}

constexpr Algorithm scatter_row(Collective collective) {
  return row(collective, "the root sends every rank its block, to some at a time", scatter_star_cost);
}

}  // namespace

extern const Algorithm gather_linear = gather_row(Collective::gather);
extern const Algorithm gatherv_linear = gather_row(Collective::gatherv);
extern const Algorithm scatter_linear = scatter_row(Collective::scatter);
extern const Algorithm scatterv_linear = scatter_row(Collective::scatterv);

}  // namespace tutti::algorithm
