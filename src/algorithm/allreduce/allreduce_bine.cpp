// Bine allreduce (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp): a reduce-scatter over the Bine butterfly,
// and an allgather over the same partners in reverse. Other than a power of two of ranks is folded first: one of two
// neighbours hands its operand to the other and gets the result at the end.
//
//   4 ranks, blocks a b c d     round 1   0 ◄─► 3: cd|ab    1 ◄─► 2: cd|ab
//                               round 2   0 ◄─► 1: b|a      2 ◄─► 3: d|c
//                               round 3   0 ◄─► 1: a|b      2 ◄─► 3: c|d
//                               round 4   0 ◄─► 3: ab|cd    1 ◄─► 2: ab|cd
//
// With P the largest power of two up to p: rounds 2·log2 P, busiest rank 2n·(P-1)/P bytes; when p > P two rounds and n
// bytes more. The operator must commute; each block is reduced by one rank, so that all ranks get the same bits.

#include "algorithm/algorithm.hpp"
#include "algorithm/guard.hpp"
#include "algorithm/phase_bine.hpp"
#include "pattern/even_blocks.hpp"

namespace tutti::algorithm {
namespace {

using pattern::EvenBlocks;
using pattern::Fold;
using schedule::BufRef;
using schedule::k_no_task;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;

bool applies(const Request& request, const Topology&, const ParameterSet&, std::string* why_not) {
  return operator_commutes(request, why_not);
}

/// The part of those that stay after folding.
void scatter_and_gather(ScheduleBuilder& builder, const Request& request, const Fold& fold, Rank me,
                        const Partial& partial) {
  const BufRef output{Slot::output, 0, request.bytes};
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  const BlockOffset offset = [&](Rank block) { return blocks.offset(block); };
  const Members members{fold.count(), fold.position(me), [&](Rank v) { return Peer::rank(fold.rank(v)); }};
  const Halved reduced = bine_reduce_scatter(
      builder, members, partial, offset, output.part(blocks.offset(members.me), blocks.length(members.me)));
  const bool overwrites = partial.place == output || request.in_place;
  const TaskIds complete = bine_allgather(builder, members, output, offset, reduced.done,
                                          overwrites ? reduced.consumed : k_no_task);
  if (fold.is_paired(me)) builder.send(Peer::rank(fold.pair(me)), output, complete);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const BufRef operand = request.operand();
  const BufRef output{Slot::output, 0, request.bytes};
  const Fold fold(request.rank_count);
  ScheduleBuilder builder;
  if (request.rank_count == 1) {
    builder.copy(operand, output);
    return std::move(builder).finish();
  }
  const Partial partial = fold_in(builder, fold, me, operand,
                                  [&] { return request.in_place ? builder.scratch(request.bytes) : output; });
  if (fold.stays(me))
    scatter_and_gather(builder, request, fold, me, partial);
  else
    builder.recv(Peer::rank(fold.pair(me)), output, request.in_place ? partial.ready : k_no_task);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const Fold fold(request.rank_count);
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  const BlockOffset offset = [&](Rank block) { return blocks.offset(block); };
  Tally tally(request.rank_count);
  tally_fold_in(tally, fold, request.bytes);
  tally_bine_reduce_scatter(tally, fold, offset);
  tally_bine_allgather(tally, fold, offset);
  for (Rank position = 0; position < fold.pair_count(); ++position)
    tally.message(fold.rank(position), fold.pair(fold.rank(position)), request.bytes);
  return tally.cost();
}

}  // namespace

extern const Algorithm allreduce_bine;
const Algorithm allreduce_bine = {
    .name = "bine",
    .summary = "reduce-scatter over the Bine butterfly, then allgather over the same partners in reverse",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = applies,
    .build = build,
    .cost = cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
