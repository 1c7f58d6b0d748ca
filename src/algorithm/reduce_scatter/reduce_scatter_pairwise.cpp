// Pairwise exchange reduce-scatter (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §5): in step s every rank sends the block
// of rank me - s to that rank and receives its own block from rank me + s.
//
//   step         1     2     3          p = 4, letter = block
//   0 sends to   3:d   2:c   1:b
//   1 sends to   0:a   3:d   2:c
//   2 sends to   1:b   0:a   3:d
//   3 sends to   2:c   1:b   0:a
//
// Rounds 1 (no message waits for another), p-1 messages per rank; every rank sends all blocks except its own. A rank
// first adds the operands of the ranks after it to its own, one after the other, then puts the sum of those before it
// in front. This is rank order, so that operators need not commute.

#include "algorithm/applicability.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"
#include "algorithm/segment_turns.hpp"

namespace tutti::algorithm {
namespace {

/// sum = sum op the block of `from`. Returns the task after which the sum is complete.
TaskId append(ScheduleBuilder& builder, Turns& landings, Rank from, BufRef sum, TaskId sum_ready) {
  const Turns::Place landing = landings.next(sum.length);
  const TaskId arrived = builder.recv(Peer::rank(from), landing.memory, landing.free);
  const TaskId added = builder.reduce(landing.memory, sum, {arrived, sum_ready}, OperandOrder::target_first);
  landings.hold_until(added);
  return added;
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const Rank p = request.rank_count;
  const BlockOffset offset = packed_blocks(request);
  const auto block = [&](Rank b) { return BufRef{Slot::input, offset(b), offset(b + 1) - offset(b)}; };
  const BufRef own = block(me), result{Slot::output, 0, own.length};
  const Rank before = me, after = p - 1 - me;  // number of ranks on each side
  ScheduleBuilder builder;
  if (p == 1) builder.copy(own, result);

  // Two receive buffers are sufficient: they bound the number of blocks that can arrive before they are added.
  Turns landings(builder, own.length);
  const BufRef front =
      after == 0 ? result : builder.scratch(before > 0 ? own.length : 0);  // sum of the ranks before this one
  TaskId result_ready = k_no_task, front_ready = k_no_task;
  for (Rank step = 1; step < p; ++step) {
    const Rank to = (me - step + p) % p, from = (me + step) % p;
    builder.send(Peer::rank(to), block(to));
    if (step == 1 && after > 0) {
      const TaskId arrived = builder.recv(Peer::rank(from), result);
      result_ready = builder.reduce(own, result, arrived, OperandOrder::source_first);
    } else if (from > me) {
      result_ready = append(builder, landings, from, result, result_ready);
    } else if (from == 0) {
      front_ready = builder.recv(Peer::rank(from), front);
    } else {
      front_ready = append(builder, landings, from, front, front_ready);
    }
  }
  if (before > 0 && after == 0) builder.reduce(own, result, front_ready, OperandOrder::target_first);
  if (before > 0 && after > 0)
    builder.reduce(front, result, {front_ready, result_ready}, OperandOrder::source_first);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  return {1, request.bytes - request.blocks.smallest(request.rank_count)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "pairwise",
          .summary = "every rank sends every other its block directly",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §5",
          .collective = collective,
          .parameters = {},
          .applies = applies_always,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_pairwise = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_pairwise = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
