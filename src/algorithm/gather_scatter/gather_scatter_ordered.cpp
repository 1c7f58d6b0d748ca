// Gather(v) and scatter(v) in the order in which the program accesses the data (paper 002, section 5.2), for early
// return: a star whose root exchanges the edges of the receive buffers first, then the other parts of the blocks in
// access order, with a limited number of ranks at a time. In a gather all blocks are one buffer, the root's, with edges
// beside the root's own block, too; in a scatter every block is a buffer of its own.
//
//   gather, root 0, p = 4, forward order         scatter, root 0, p = 4, peers = 1
//   0 ◄─ 1  block 1, then                        step    1    2    3
//   0 ◄─ 2  block 2, then                        0 ─► 1  e    b
//   0 ◄─ 3  tail first, then the rest            0 ─► 2  e         b           e: edges, b: the rest
//                                                0 ─► 3  e              b
//
// Rounds of a gather: at most 1 (no sender waits for another message); of a scatter: at most ⌈(p-1) / peers⌉ (1 without
// a limit). Busiest rank in a gather: max n bytes; in a scatter: the root, Σn without its own block.

#include "algorithm/edges.hpp"
#include "algorithm/gather_scatter/star.hpp"

namespace tutti::algorithm {
namespace {

using Run = PartsInAccessOrder::Run;

constexpr size_t k_order = 2;  // index among the parameters

Rank blocks_of_buffer(const Request& request) {
  return is_scatter(request.collective) ? 1 : request.rank_count;
}

/// The blocks of a gather next to the root's own block have edges, too: the own block is available at once, but shares
/// its first and last pages with its neighbours.
EdgesFirst parts_of(BufRef block, Rank rank, const Request& request) {
  if (is_scatter(request.collective)) return {block, true, true};
  return {block, rank == 0 || rank == request.root + 1,
          rank == request.rank_count - 1 || rank == request.root - 1};
}

void move_edges(Star& star, Rank other, const EdgesFirst& parts) {
  for (const BufRef& edge : {parts.head, parts.tail})
    if (!edge.empty()) star.move(other, edge);
}

/// The ranks that the root serves, in the order of the buffer (gather), or beginning with the next rank (scatter).
std::vector<Rank> ranks_served(const Request& request) {
  const Rank p = request.rank_count, first = is_scatter(request.collective) ? request.root : 0;
  std::vector<Rank> ranks;
  for (Rank i = 0; i < p; ++i)
    if ((first + i) % p != request.root) ranks.push_back((first + i) % p);
  return ranks;
}

/// Calls visit(rank, run) for the runs of all blocks that the root exchanges, in access order of each buffer.
template <class Visit>
void for_each_run(const Request& request, const PartsInAccessOrder& order, Visit visit) {
  if (is_scatter(request.collective)) {
    for (const Rank rank : ranks_served(request))
      for (const Run& run : order.runs()) visit(rank, run);
  } else {
    for (const Run& run : order.runs())
      if (run.block != request.root) visit(run.block, run);
  }
}

void serve_all(Star& star, const Request& request, const ParameterSet& parameters,
               const PartsInAccessOrder& order) {
  const BlockLayout blocks = star.blocks();
  star.builder().set_priority(0);
  for (const Rank rank : ranks_served(request))
    move_edges(star, rank, parts_of(blocks.block(rank), rank, request));
  star.builder().set_priority(1);
  const auto steps =
      is_scatter(request.collective) ? static_cast<size_t>(request.rank_count - 1) : order.runs().size();
  BlocksInLanes lanes(steps, parameters);
  for_each_run(request, order, [&](Rank rank, const Run& run) {
    lanes.add(parts_of(blocks.block(rank), rank, request).body, order, run,
              [&](BufRef part, TaskId turn) { return star.move(rank, part, turn); });
  });
  star.copy_own(blocks.block(request.root));
}

void serve_root(Star& star, const Request& request, Rank me, const ParameterSet& parameters,
                const PartsInAccessOrder& order) {
  const EdgesFirst parts = parts_of(star.own(), me, request);
  move_edges(star, request.root, parts);
  order.for_each_run_of(is_scatter(request.collective) ? 0 : me, [&](const Run& run) {
    order.for_each_segment(run, parts.body, parameters[k_star_segment],
                           [&](BufRef part) { star.move(request.root, part); });
  });
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const PartsInAccessOrder order(parameters, k_order, blocks_of_buffer(request));
  Star star(request, me);
  if (star.is_root())
    serve_all(star, request, parameters, order);
  else
    serve_root(star, request, me, parameters, order);
  return std::move(star).finish();
}

Cost scatter_cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  Cost cost = scatter_star_cost(request, topology, parameters);
  cost.is_upper_bound = true;
  return cost;
}

constexpr Parameter k_gather_parameters[] = {
    segment_parameter(16 << 10, "bytes per message"),
    {.name = "peers",
     .summary = "ranks that the root serves at a time; 0: all",
     .default_value = 2,
     .min = 0,
     .max = 1 << 20},
    k_direction_parameter,
    k_stride_parameter,
};
constexpr Parameter k_scatter_parameters[] = {
    segment_parameter(16 << 10, "bytes per message"),
    k_star_parameters[k_star_peers],
    k_direction_parameter,
    k_stride_parameter,
};

constexpr Algorithm row(Collective collective, std::string_view summary,
                        std::span<const Parameter> parameters, decltype(Algorithm::cost) cost) {
  return {.name = "ordered",
          .summary = summary,
          .source = "after Li, Sun, Huo, Ma: T-NBC, section 5.2",
          .collective = collective,
          .parameters = parameters,
          .applies = star_applies,
          .build = build,
          .cost = cost,
          .is_for_early_return = true};
}

constexpr Algorithm gather_row(Collective collective) {
  return row(collective,
             "the edges of the root's buffer, then the blocks in order: for calls that return early",
             k_gather_parameters, gather_star_cost);
}

constexpr Algorithm scatter_row(Collective collective) {
  return row(collective,
             "the edges of all blocks, then the blocks, to some ranks at a time: for calls that return early",
             k_scatter_parameters, scatter_cost);
}

}  // namespace

extern const Algorithm gather_ordered = gather_row(Collective::gather);
extern const Algorithm gatherv_ordered = gather_row(Collective::gatherv);
extern const Algorithm scatter_ordered = scatter_row(Collective::scatter);
extern const Algorithm scatterv_ordered = scatter_row(Collective::scatterv);

}  // namespace tutti::algorithm
