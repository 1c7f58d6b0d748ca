// Rabenseifner's allreduce (Rabenseifner, ICCS 2004, §4): recursive halving leaves every rank with one block of the
// result; recursive doubling collects the blocks on all ranks, over the same partners in reverse. A number of ranks
// that is not a power of two is folded first: in each pair of neighbours one rank sends its operand to the other and
// receives the result at the end.
//
//   4 ranks, blocks a b c d     round 1   0 ◄─► 1: ab|cd    2 ◄─► 3: ab|cd      halving, nearest first
//                               round 2   0 ◄─► 2: a|b      1 ◄─► 3: c|d
//                               round 3   0 ◄─► 2: a|b      1 ◄─► 3: c|d        doubling
//                               round 4   0 ◄─► 1: ab|cd    2 ◄─► 3: ab|cd
//
// With P the largest power of two not above p: rounds 2·log2 P, busiest rank 2n·(P-1)/P bytes; if p > P, two rounds and
// n bytes more. Neighbours in rank order are combined first, so that operators need not commute. Each block is reduced
// by one rank, so that all ranks get the same bits.
//
// Bine allreduce (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp): the same at the distances of a Bine
// butterfly. Partners at distance 1 exchange halves of the vector, then those at distance -1 quarters, then at 3, -5
// and so on. The operator must commute.

#include <utility>

#include "algorithm/applicability.hpp"
#include "algorithm/phase_allgather.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "pattern/even_blocks.hpp"

namespace tutti::algorithm {
namespace {

using pattern::EvenBlocks;
using pattern::Fold;
using pattern::HalvingOrder;

/// The part of the ranks that stay after folding.
void halve_and_double(ScheduleBuilder& builder, const Request& request, HalvingOrder order, const Fold& fold,
                      Rank me, const Partial& partial) {
  const BufRef output{Slot::output, 0, request.bytes};
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  const auto offset = [&](Rank block) { return blocks.offset(block); };
  const Members members{fold.count(), fold.position(me), [&](Rank v) { return Peer::rank(fold.rank(v)); }};
  const Rank block = pattern::halving_steps(members.me, members.count, order).back().kept_first;

  const Halved halved = halving_reduce_scatter(builder, members, order, partial, offset,
                                               output.part(blocks.offset(block), blocks.length(block)));
  const bool overwrites = partial.place == output || request.in_place;
  const TaskIds complete = recursive_doubling_allgather(builder, members, order, output, offset, halved.done,
                                                        overwrites ? halved.consumed : k_no_task);
  if (fold.is_paired(me)) builder.send(Peer::rank(fold.pair(me)), output, complete);
}

/// Functions of a catalogue entry.
template <HalvingOrder k_order>
struct HalvingDoubling {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
    if (request.rank_count == 1) return reduce_alone(request);
    const BufRef operand = request.operand();
    const BufRef output{Slot::output, 0, request.bytes};
    const Fold fold(request.rank_count);
    ScheduleBuilder builder;
    const Partial partial = fold_in(builder, fold, me, operand, [&] {
      return request.in_place ? builder.scratch(request.bytes) : output;
    });
    if (fold.stays(me))
      halve_and_double(builder, request, k_order, fold, me, partial);
    else
      builder.recv(Peer::rank(fold.pair(me)), output, request.in_place ? partial.ready : k_no_task);
    return std::move(builder).finish();
  }

  static Cost cost(const Request& request, const Topology&, const ParameterSet&) {
    const Fold fold(request.rank_count);
    const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
    const auto offset = [&](Rank block) { return blocks.offset(block); };
    Tally tally(request.rank_count);
    tally_fold_in(tally, fold, request.bytes);
    tally_halving(tally, fold, k_order, offset);
    tally_doubling(tally, fold, k_order, offset);
    for (Rank position = 0; position < fold.pair_count(); ++position)
      tally.message(fold.rank(position), fold.pair(fold.rank(position)), request.bytes);
    return tally.cost();
  }
};

using Rabenseifner = HalvingDoubling<HalvingOrder::near_first>;
using Bine = HalvingDoubling<HalvingOrder::bine>;

}  // namespace

extern const Algorithm allreduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving reduce-scatter, then recursive doubling allgather",
    .source = "Rabenseifner, ICCS 2004, §4",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = applies_always,
    .build = Rabenseifner::build,
    .cost = Rabenseifner::cost,
};

extern const Algorithm allreduce_bine = {
    .name = "bine",
    .summary = "recursive halving reduce-scatter at Bine distances, then recursive doubling allgather",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = operator_commutes,
    .build = Bine::build,
    .cost = Bine::cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
