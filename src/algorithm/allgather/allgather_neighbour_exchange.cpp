// Neighbour exchange allgather(v) (Chen, Yuan, Zhang, Zhan: Performance evaluation of allgather algorithms on terascale
// Linux cluster with fast Ethernet, HPC Asia 2005). Each rank exchanges messages with its two neighbours only, in half
// the rounds of the ring: after the first exchange blocks travel in pairs.
//
//   round   1        2           3            p = 6
//   0 ◄─► 1 0 | 1                4,5 | 2,3
//   2 ◄─► 3 2 | 3                0,1 | 4,5
//   4 ◄─► 5 4 | 5                2,3 | 0,1
//   1 ◄─► 2          0,1 | 2,3
//   3 ◄─► 4          2,3 | 4,5
//   5 ◄─► 0          4,5 | 0,1
//
// Even p only. Rounds p/2, busiest rank (p-1)·n bytes (v form: its own block, and all pairs except the one that it
// receives last). Blocks are received at their final offsets; the v form sends the blocks of a pair as two messages.

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/allgather/range_exchange.hpp"
#include "algorithm/block_layout.hpp"
#include "pattern/neighbour_exchange.hpp"

namespace tutti::algorithm {
namespace {

bool applies(const RankInvariantRequest& request, const Topology&, const ParameterSet&,
             std::string* why_not) {
  if (request.rank_count % 2 == 0) return true;
  *why_not = "neighbour exchange pairs the ranks and needs an even number, not " +
             std::to_string(request.rank_count);
  return false;
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  ScheduleBuilder builder;
  RangeExchange exchange(builder, request, me);
  const pattern::NeighbourExchange pattern{request.rank_count};
  exchange.send(me ^ 1, me, 1);
  exchange.recv(me ^ 1, me ^ 1, 1);
  for (Rank round = 1; round < pattern.rounds(); ++round) {
    const Rank partner = pattern.partner(me, round);
    exchange.send(partner, 2 * pattern.pair_sent(me, round), 2);
    exchange.recv(partner, 2 * pattern.pair_sent(partner, round), 2);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
  const uint64_t total = layout.total_bytes();
  if (total == 0) return {};
  const pattern::NeighbourExchange pattern{request.rank_count};
  Cost cost{static_cast<uint64_t>(pattern.rounds()), 0};
  for (Rank r = 0; r < request.rank_count; ++r) {
    // The pair that would be sent in the next round is the one that arrived last.
    const Rank kept = 2 * pattern.pair_sent(r, pattern.rounds());
    cost.busiest_bytes = std::max(cost.busiest_bytes, layout.size(r) + total - layout.range_bytes(kept, 2));
  }
  return cost;
}

constexpr Algorithm row(Collective collective) {
  return {.name = "neighbour_exchange",
          .summary = "pairs of blocks move between neighbours, alternately to both sides",
          .source = "Chen, Yuan, Zhang, Zhan, HPC Asia 2005",
          .collective = collective,
          .parameters = {},
          .applies = applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm allgather_neighbour_exchange = row(Collective::allgather);
extern const Algorithm allgatherv_neighbour_exchange = row(Collective::allgatherv);

}  // namespace tutti::algorithm
