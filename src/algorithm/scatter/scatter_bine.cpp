// Scatter(v) along a Bine tree (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp). Every rank receives the blocks
// of its subtree in one message and forwards those of its children's subtrees.
//
//   8 ranks, root 0      round 1   0 ─► 3
//                        round 2   0 ─► 7   3 ─► 4
//                        round 3   0 ─► 1   7 ─► 6   3 ─► 2   4 ─► 5
//
// Powers of two only. Rounds log2 p (empty leaves do not count), busiest rank: the root, all blocks except its own. In
// the v form all ranks must know all sizes.

#include "algorithm/applicability.hpp"
#include "algorithm/scatter/tree_scatter.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {
namespace {

using pattern::BineTree;

base::Result<Schedule> build(const Request& request, Rank rank, const Topology&, const ParameterSet&) {
  return build_tree_scatter(request, rank, BineTree{request.rank_count});
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return tree_scatter_cost(request, BineTree{request.rank_count});
}

constexpr Algorithm row(Collective collective) {
  return {
      .name = "bine",
      .summary =
          "blocks travel down a Bine tree, whose distances are a third shorter than those of a binomial one",
      .source = "De Sensi et al., SC 2025",
      .collective = collective,
      .parameters = {},
      .applies = applies_if<power_of_two_ranks, sizes_are_known>,
      .build = build,
      .cost = cost,
      .is_for_large_network = true};
}

}  // namespace

extern const Algorithm scatter_bine = row(Collective::scatter);
extern const Algorithm scatterv_bine = row(Collective::scatterv);

}  // namespace tutti::algorithm
