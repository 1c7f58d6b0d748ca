// RingAAS, ring allgather after scatter (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4; paper 000 §3): a binomial
// scatter gives each rank one p-th of the message, then the blocks travel around a ring, cut into segments. Blocks that
// the receiver holds from the scatter are not sent again (Zhou et al., ICPP workshops 2015), so that in the ring the
// root receives nothing and the last rank sends nothing.
//
//   4 ranks, blocks a b c d      scatter    0 ─► 2: cd   0 ─► 1: b   2 ─► 3: d
//                                round 1    0 ─► 1: a    1 ─► 2: b   2 ─► 3: c
//                                round 2    0 ─► 1: d    1 ─► 2: a   2 ─► 3: b
//                                round 3    0 ─► 1: c    2 ─► 3: a
//
// Rounds at most ⌈log2 p⌉ + p-1; the root is the busiest rank with n·(p-1)/p bytes in each of the two phases. Any
// number of ranks.

#include <algorithm>

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/scatter_allgather.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_allgather.hpp"
#include "pattern/knomial.hpp"

namespace tutti::algorithm {
namespace {

using pattern::EvenBlocks;
using pattern::KnomialTree;

constexpr Parameter k_parameters[] = {
    segment_parameter(16 << 10, "bytes that travel together round the ring")};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const Members members = ranks_from(request.root, request, me);
  const EvenBlocks blocks = message_blocks(request);
  std::vector<BufRef> places;
  places.reserve(static_cast<size_t>(members.count));
  for (Rank b = 0; b < members.count; ++b)
    places.push_back({Slot::output, blocks.offset(b), blocks.length(b)});

  ScheduleBuilder builder;
  const TaskId arrived = scatter_message(builder, members, request);
  std::vector<TaskIds> ready(static_cast<size_t>(members.count));
  const Rank held = binomial_subtree(members.me, members.count);
  std::fill_n(ready.begin() + members.me, held, TaskIds{arrived});
  ring_allgather(builder, members, places, parameters[0], ready, {}, binomial_subtree);
  return std::move(builder).finish();
}

/// Block b travels from each position that holds it after the scatter (b and its ancestors) to the next such position;
/// the last part of its path is from b to the end of the ring.
uint64_t rounds_of_block(const KnomialTree& tree, Rank b) {
  uint64_t longest = static_cast<uint64_t>(tree.count - 1 - b), levels = 0;
  for (Rank v = b; v != 0; v = tree.parent(v)) ++levels;
  longest += levels;
  for (Rank v = b, level = static_cast<Rank>(levels); v != 0; v = tree.parent(v)) {
    const Rank holder = tree.parent(v);
    longest = std::max(longest, static_cast<uint64_t>(--level) + static_cast<uint64_t>(v - holder - 1));
  }
  return std::max(longest, levels);
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const Rank p = request.rank_count;
  const EvenBlocks blocks = message_blocks(request);
  const KnomialTree tree{p, 2};
  Cost cost;
  for (Rank v = 0; v < p; ++v) {
    if (blocks.length(v) > 0) cost.rounds = std::max(cost.rounds, rounds_of_block(tree, v));
    const auto subtree_bytes = [&](Rank u) { return blocks.offset(u + tree.span(u)) - blocks.offset(u); };
    uint64_t sent = v + 1 < p ? request.bytes - subtree_bytes(v + 1) : 0;
    // In the scatter: all blocks of the subtree except its own.
    sent += subtree_bytes(v) - blocks.length(v);
    cost.busiest_bytes = std::max(cost.busiest_bytes, sent);
  }
  return cost;
}

}  // namespace

extern const Algorithm bcast_ringaas = {
    .name = "ringaas",
    .summary = "binomial scatter, then segmented ring allgather",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4; paper 000",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = message_in_segments<0>,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
