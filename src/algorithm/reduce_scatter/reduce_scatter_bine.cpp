// Bine butterfly reduce-scatter (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp): in every round a rank keeps
// the run of blocks that it will pass on to its later partners, and gives its partner's run away.
//
//   8 ranks, rank 0       round 1   0 ◄─► 3: 2,3,4,5 | 6,7,0,1
//                         round 2   0 ◄─► 7: 6,7 | 0,1
//                         round 3   0 ◄─► 1: 1 | 0
//
// Powers of two only. Rounds log2 p, busiest rank n·(p-1)/p bytes for equal blocks. A run of the first round that wraps
// around past the last block is two messages. The operator must commute.

#include "algorithm/algorithm.hpp"
#include "algorithm/guard.hpp"
#include "algorithm/phase_bine.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Fold;
using schedule::BufRef;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;

bool applies(const Request& request, const Topology&, const ParameterSet&, std::string* why_not) {
  return power_of_two_ranks(request, why_not) && operator_commutes(request, why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const BlockOffset offset = packed_blocks(request);
  const BufRef operand{Slot::input, 0, request.bytes};
  const BufRef result{Slot::output, 0, offset(me + 1) - offset(me)};
  ScheduleBuilder builder;
  if (request.rank_count == 1) {
    builder.copy(operand, result);
    return std::move(builder).finish();
  }
  const Members members{request.rank_count, me, [](Rank v) { return Peer::rank(v); }};
  bine_reduce_scatter(builder, members, {operand}, offset, result);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  Tally tally(request.rank_count);
  tally_bine_reduce_scatter(tally, Fold(request.rank_count), packed_blocks(request));
  return tally.cost();
}

constexpr Algorithm row(Collective collective) {
  return {.name = "bine",
          .summary = "partners at Bine distances exchange parts of the vector",
          .source = "De Sensi et al., SC 2025",
          .collective = collective,
          .parameters = {},
          .applies = applies,
          .build = build,
          .cost = cost,
          .is_for_large_network = true};
}

}  // namespace

extern const Algorithm reduce_scatter_bine, reduce_scatter_block_bine;
const Algorithm reduce_scatter_bine = row(Collective::reduce_scatter);
const Algorithm reduce_scatter_block_bine = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
