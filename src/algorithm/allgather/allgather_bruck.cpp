// Bruck's allgather(v) (Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in
// multiport message-passing systems, IEEE TPDS 1997). Each rank gathers its own block and those of its successors in a
// row; in round k it sends the first blocks of the row to rank r - 2^k and receives the next ones from rank r + 2^k.
//
//   round        1        2        3                p = 5, rank 0's row of blocks
//   0    0 │ 1       │ 2 3     │ 4
//        own  from 1   from 2    from 4 (5-4 = 1 block)
//
// Rounds ⌈log2 p⌉ for any p (one less if the last, partial round does not depend on the previous one), busiest rank
// (p-1)·n bytes (v form: the maximum over ranks of the bytes that it sends from its row). Copies: this rank's block
// into the row, and all other blocks from the row, which is in scratch memory, to their final offsets.

#include <algorithm>
#include <vector>

#include "algorithm/applicability.hpp"
#include "algorithm/block_layout.hpp"
#include "pattern/bruck.hpp"

namespace tutti::algorithm {
namespace {

/// Number of blocks that a rank sends in the round at `distance`.
Rank carried(Rank p, Rank distance) {
  return std::min(distance, p - distance);
}

/// Copies `count` blocks from the row to their final offsets, in as few pieces as the layout allows.
void unpack(ScheduleBuilder& builder, const BlockLayout& layout, Rank first, Rank count, BufRef row,
            TaskId after) {
  uint64_t at = 0;
  layout.for_each_run(first, count, [&](BufRef place) {
    builder.copy(row.part(at, place.length), place, after);
    at += place.length;
  });
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const Rank p = request.rank_count;
  const BlockLayout layout(request.blocks, p, Slot::output);
  ScheduleBuilder builder;
  const BufRef place = layout.block(me);
  const BufRef own = request.in_place ? place : BufRef{Slot::input, 0, place.length};
  builder.copy(own, place);
  if (p == 1) return std::move(builder).finish();

  const BufRef row = builder.scratch(layout.total_bytes());
  struct Part {
    Rank position;  // index of the first block of the row that `ready` fills
    TaskId ready;
  };
  std::vector<Part> parts;
  if (p > 2) parts.push_back({0, builder.copy(own, row.part(0, own.length))});
  for (Rank distance = 1; distance < p; distance *= 2) {
    const Rank count = carried(p, distance);
    const Peer to = Peer::rank((me - distance + p) % p);
    const BufRef outgoing = count == 1 ? own : row.part(0, layout.range_bytes(me, count));
    std::vector<TaskId> after;
    for (const Part& part : parts)
      if (count > 1 && part.position < count) after.push_back(part.ready);
    if (!outgoing.empty()) builder.send(to, outgoing, after);
    const Rank first = (me + distance) % p;
    const BufRef target = row.part(layout.range_bytes(me, distance), layout.range_bytes(first, count));
    const TaskId arrived = builder.recv(Peer::rank(first), target);
    parts.push_back({distance, arrived});
    unpack(builder, layout, first, count, target, arrived);
  }
  return std::move(builder).finish();
}

uint64_t busiest_bytes(const BlockLayout& layout) {
  const Rank p = layout.rank_count();
  if (layout.is_uniform()) return static_cast<uint64_t>(p - 1) * layout.size(0);
  uint64_t busiest = 0;
  for (Rank r = 0; r < p; ++r) {
    uint64_t sent = 0;
    for (Rank distance = 1; distance < p; distance *= 2) sent += layout.range_bytes(r, carried(p, distance));
    busiest = std::max(busiest, sent);
  }
  return busiest;
}

/// Simulates the messages round by round, because messages without data are dropped.
uint64_t rounds(const BlockLayout& layout) {
  const Rank p = layout.rank_count();
  const pattern::Bruck bruck{p};
  if (layout.is_uniform()) return bruck.rounds();
  const auto last_distance = static_cast<Rank>(bruck.last_distance());
  const Rank last_count = carried(p, last_distance);
  // Longest chain, per rank, on which the blocks that it sends depend: in full rounds all arrivals, in the last round
  // the arrivals of the blocks that it still carries.
  std::vector<uint64_t> chain(static_cast<size_t>(p), 0), chain_to_last = chain;
  uint64_t longest = 0;
  for (Rank distance = 1; distance < p; distance *= 2) {
    const std::vector<uint64_t> sent = distance == last_distance ? chain_to_last : chain;
    for (Rank r = 0; r < p; ++r) {
      const Rank from = (r + distance) % p;
      if (layout.range_bytes(from, carried(p, distance)) == 0) continue;
      const uint64_t arrived = sent[static_cast<size_t>(from)] + 1;
      const auto raise = [&](uint64_t& value) { value = std::max(value, arrived); };
      raise(longest);
      raise(chain[static_cast<size_t>(r)]);
      if (distance < last_count) raise(chain_to_last[static_cast<size_t>(r)]);
    }
  }
  return longest;
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
  if (layout.total_bytes() == 0 || request.rank_count == 1) return {};
  return {rounds(layout), busiest_bytes(layout)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "bruck",
          .summary = "rows of blocks double in about log2 p rounds for any p",
          .source = "Bruck et al., IEEE TPDS 1997",
          .collective = collective,
          .parameters = {},
          .applies = applies_always,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm allgather_bruck = row(Collective::allgather);
extern const Algorithm allgatherv_bruck = row(Collective::allgatherv);

}  // namespace tutti::algorithm
