// Gather(v) along a Bine tree (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp). Every rank collects the blocks
// of its subtree and sends them to its parent in one message.
//
//   8 ranks, root 0      round 1   1 ─► 0   6 ─► 7   2 ─► 3   5 ─► 4
//                        round 2   7 ─► 0   4 ─► 3
//                        round 3   3 ─► 0
//
// Powers of two only. Rounds log2 p (empty leaves do not count), busiest rank: the root of the largest subtree, half of
// all bytes. In the v form all ranks must know all sizes.

#include "algorithm/applicability.hpp"
#include "algorithm/gather/tree_gather.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {
namespace {

using pattern::BineTree;

base::Result<Schedule> build(const Request& request, Rank rank, const Topology&, const ParameterSet&) {
  return build_tree_gather(request, rank, BineTree{request.rank_count});
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return tree_gather_cost(request, BineTree{request.rank_count});
}

constexpr Algorithm row(Collective collective) {
  return {
      .name = "bine",
      .summary =
          "blocks travel up a Bine tree, whose distances are a third shorter than those of a binomial one",
      .source = "De Sensi et al., SC 2025",
      .collective = collective,
      .parameters = {},
      .applies = applies_if<power_of_two_ranks, sizes_are_known>,
      .build = build,
      .cost = cost,
      .is_for_large_network = true};
}

}  // namespace

extern const Algorithm gather_bine = row(Collective::gather);
extern const Algorithm gatherv_bine = row(Collective::gatherv);

}  // namespace tutti::algorithm
