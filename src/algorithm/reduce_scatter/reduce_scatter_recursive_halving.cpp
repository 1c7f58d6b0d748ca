// Recursive halving reduce-scatter (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §5): partners at distance p/2, …, 2, 1
// exchange the halves of the vector for which the other side is responsible. A number of ranks that is not a power of
// two is folded first: in each pair of neighbours one rank sends its operand to the other, which ends with both blocks
// and returns one.
//
//   4 ranks, blocks a b c d     round 1   0 ◄─► 2: cd|ab    1 ◄─► 3: cd|ab
//                               round 2   0 ◄─► 1: b|a      2 ◄─► 3: d|c
//
// With P the largest power of two not above p: rounds log2 P, busiest rank n·(P-1)/P bytes for equal blocks. If p > P,
// two rounds more, and the n bytes of a folded operand may be the maximum that a rank sends. Distant ranks are combined
// first, so that the operator must commute.

#include "algorithm/applicability.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Fold;
using pattern::HalvingOrder;

/// Offsets of the blocks of each position: two blocks for a position that represents a pair.
BlockOffset blocks_by_position(const BlockOffset& offset, const Fold& fold) {
  return [&](Rank position) {
    return offset(position < fold.pair_count() ? 2 * position : position + fold.pair_count());
  };
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const BlockOffset offset = packed_blocks(request);
  const BufRef operand{Slot::input, 0, request.bytes};
  const BufRef result{Slot::output, 0, offset(me + 1) - offset(me)};
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  const Fold fold(request.rank_count);
  const Partial partial = fold_in(builder, fold, me, operand, [&] { return builder.scratch(request.bytes); });
  if (!fold.stays(me)) {
    builder.recv(Peer::rank(fold.pair(me)), result);
    return std::move(builder).finish();
  }

  const BlockOffset group_offset = blocks_by_position(offset, fold);
  const Members members{fold.count(), fold.position(me), [&](Rank v) { return Peer::rank(fold.rank(v)); }};
  const uint64_t group_bytes = group_offset(members.me + 1) - group_offset(members.me);
  const BufRef place = fold.is_paired(me) ? builder.scratch(group_bytes) : result;
  const Halved halved =
      halving_reduce_scatter(builder, members, HalvingOrder::far_first, partial, group_offset, place);
  if (fold.is_paired(me)) {
    builder.send(Peer::rank(fold.pair(me)), place.part(result.length, group_bytes - result.length),
                 halved.done);
    builder.copy(place.part(0, result.length), result, halved.done);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const BlockOffset offset = packed_blocks(request);
  const Fold fold(request.rank_count);
  Tally tally(request.rank_count);
  tally_fold_in(tally, fold, request.bytes);
  tally_halving(tally, fold, HalvingOrder::far_first, blocks_by_position(offset, fold));
  for (Rank position = 0; position < fold.pair_count(); ++position) {
    const Rank away = fold.pair(fold.rank(position));
    tally.message(fold.rank(position), away, offset(away + 1) - offset(away));
  }
  return tally.cost();
}

constexpr Algorithm row(Collective collective) {
  return {.name = "recursive_halving",
          .summary = "partners at halving distances exchange halves of the vector",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §5",
          .collective = collective,
          .parameters = {},
          .applies = operator_commutes,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_recursive_halving = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_recursive_halving = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
