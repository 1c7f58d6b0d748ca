// RDAAS, recursive doubling allgather after scatter (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4; paper 000 §3): a
// binomial scatter gives each rank one p-th of the message, then partners at distance 1, 2, 4, … exchange all their
// blocks. Blocks that the partner received in the scatter are not sent again.
//
//   4 ranks, blocks a b c d      scatter    0 ─► 2: cd   0 ─► 1: b   2 ─► 3: d
//                                round 1    1 ─► 0: –    0 ─► 1: a   3 ─► 2: –   2 ─► 3: c
//                                round 2    0 ─► 2: ab   1 ─► 3: ab  3 ─► 1: cd  2 ─► 0: –
//
// Rounds 2·log2 p; the root sends n·(p-1)/p bytes twice. Only for a power of two of ranks; `ringaas` supports other
// numbers.

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/scatter_allgather.hpp"
#include "algorithm/phase_allgather.hpp"

namespace tutti::algorithm {
namespace {

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const Members members = ranks_from(request.root, request, me);
  const auto offset = [blocks = message_blocks(request)](Rank block) { return blocks.offset(block); };
  ScheduleBuilder builder;
  const TaskId arrived = scatter_message(builder, members, request);
  recursive_doubling_allgather(builder, members, pattern::HalvingOrder::far_first,
                               BufRef{Slot::output, 0, request.bytes}, offset, arrived, k_no_task,
                               binomial_subtree);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const pattern::EvenBlocks blocks = message_blocks(request);
  Tally tally(request.rank_count);
  tally_scatter(tally, request);
  for (Rank run = 1; run < request.rank_count; run *= 2)
    for (Rank lower = 0; lower < request.rank_count; ++lower) {
      if (lower & run) continue;
      const Rank first = lower / run * run;  // of the blocks of `lower`; its partner has the next `run`
      const uint64_t begin = blocks.offset(first), middle = blocks.offset(first + run);
      const uint64_t end = blocks.offset(first + 2 * run);
      // A lower position that is a multiple of 2·run received the partner's blocks in the scatter.
      tally.exchange(lower, lower + run, middle - begin, lower % (2 * run) == 0 ? 0 : end - middle);
    }
  return tally.cost();
}

}  // namespace

extern const Algorithm bcast_rdaas = {
    .name = "rdaas",
    .summary = "binomial scatter, then recursive doubling allgather",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4; paper 000",
    .collective = Collective::bcast,
    .parameters = {},
    .applies = power_of_two_ranks,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
