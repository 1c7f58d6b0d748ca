// RSG, reduce-scatter and gather (Rabenseifner, ICCS 2004, §4): recursive halving leaves every rank with one block of
// the result, and a binomial gather moves the blocks to the root. A number of ranks that is not a power of two is
// folded first: in each pair of neighbours one rank sends its operand to the other; the root always stays.
//
//   4 ranks, root 0, blocks a b c d     round 1   0 ◄─► 1: ab|cd   2 ◄─► 3: ab|cd   halving, nearest first
//                                       round 2   0 ◄─► 2: a|b     1 ◄─► 3: c|d
//                                       round 3   2 ─► 0: b        3 ─► 1: d         gather
//                                       round 4   1 ─► 0: cd
//
// With P the largest power of two not above p: rounds 2·log2 P (one more if p > P). The busiest rank sends n·(P-1)/P
// bytes in the halving and up to n/2 in the gather. Neighbours in rank order are combined first, so that operators need
// not commute.

#include "algorithm/applicability.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "pattern/even_blocks.hpp"

namespace tutti::algorithm {
namespace {

using pattern::EvenBlocks;
using pattern::Fold;
using pattern::HalvingOrder;
using pattern::HalvingStep;

constexpr HalvingOrder k_order = HalvingOrder::near_first;

/// The gather reverses the halving steps; a position that differs from the root's in the bit of a step sends in that
/// step and is then done.
bool sends_in_gather(Rank position, Rank root_position, size_t step) {
  return ((position ^ root_position) >> step & 1) != 0;
}

/// The gather: `home` returns the buffer of a range of blocks. Received blocks are written after `halved.consumed`.
void gather(ScheduleBuilder& builder, const Fold& fold, Rank position, Rank root_position,
            const std::vector<HalvingStep>& steps, const std::function<BufRef(Rank, Rank)>& home,
            const Halved& halved) {
  TaskIds here{halved.done};
  for (size_t i = steps.size(); i-- > 0;) {
    const Peer partner = Peer::rank(fold.rank(steps[i].partner));
    if (sends_in_gather(position, root_position, i)) {
      builder.send(partner, home(steps[i].kept_first, steps[i].kept_end), here);
      return;
    }
    here.push_back(builder.recv(partner, home(steps[i].given_first, steps[i].given_end), halved.consumed));
  }
}

/// The blocks that a position collects: the run that it sends, or all blocks at the root.
HalvingStep collected(Rank position, Rank root_position, const std::vector<HalvingStep>& steps, Rank count) {
  for (size_t i = steps.size(); i-- > 0;)
    if (sends_in_gather(position, root_position, i)) return steps[i];
  return {.partner = position, .kept_first = 0, .kept_end = count, .given_first = 0, .given_end = 0};
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const bool is_root = me == request.root;
  const BufRef output{Slot::output, 0, request.bytes};
  const BufRef operand = is_root ? request.operand() : BufRef{Slot::input, 0, request.bytes};
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);

  const Fold fold(request.rank_count, request.root);
  const bool output_is_free = is_root && operand != output;
  const Partial partial = fold_in(builder, fold, me, operand,
                                  [&] { return output_is_free ? output : builder.scratch(request.bytes); });
  if (!fold.stays(me)) return std::move(builder).finish();

  const Rank position = fold.position(me), root_position = fold.position(request.root);
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  const auto steps = pattern::halving_steps(position, fold.count(), k_order);
  const HalvingStep run = collected(position, root_position, steps, fold.count());
  const uint64_t origin = blocks.offset(run.kept_first);
  const BufRef memory = is_root ? output : builder.scratch(blocks.offset(run.kept_end) - origin);
  const auto home = [&](Rank first, Rank end) {
    return memory.part(blocks.offset(first) - origin, blocks.offset(end) - blocks.offset(first));
  };
  const Members members{fold.count(), position, [&](Rank v) { return Peer::rank(fold.rank(v)); }};
  const Halved halved = halving_reduce_scatter(
      builder, members, k_order, partial, [&](Rank block) { return blocks.offset(block); },
      home(steps.back().kept_first, steps.back().kept_end));
  gather(builder, fold, position, root_position, steps, home, halved);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const Fold fold(request.rank_count, request.root);
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  Tally tally(request.rank_count);
  tally_fold_in(tally, fold, request.bytes);
  tally_halving(tally, fold, k_order, [&](Rank block) { return blocks.offset(block); });
  const Rank root_position = fold.position(request.root);
  for (Rank i = static_cast<Rank>(pattern::ceil_log(static_cast<uint64_t>(fold.count()), 2)); i-- > 0;)
    for (Rank position = 0; position < fold.count(); ++position) {
      // Only positions that agree with the root's in the bits of all later steps are still active.
      if ((position ^ root_position) >> i != 1) continue;
      const HalvingStep step = pattern::halving_step(position, fold.count(), k_order, i);
      tally.message(fold.rank(position), fold.rank(step.partner),
                    blocks.offset(step.kept_end) - blocks.offset(step.kept_first));
    }
  return tally.cost();
}

}  // namespace

extern const Algorithm reduce_rsg = {
    .name = "rsg",
    .summary = "recursive halving, then a binomial gather of the blocks",
    .source = "Rabenseifner, ICCS 2004, §4",
    .collective = Collective::reduce,
    .parameters = {},
    .applies = applies_always,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
