// Gather(v) and scatter(v) along a Bine tree (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp). In a scatter
// every rank receives the blocks of its subtree in one message and forwards those of its children's subtrees. A gather
// is the same with time reversed.
//
//   8 ranks, root 0      scatter, round 1   0 ─► 3                                  gather, round 3, reversed
//                        scatter, round 2   0 ─► 7   3 ─► 4                         gather, round 2, reversed
//                        scatter, round 3   0 ─► 1   7 ─► 6   3 ─► 2   4 ─► 5       gather, round 1, reversed
//
// Powers of two only. Rounds log2 p (empty leaves do not count). Busiest rank in a scatter: the root, all blocks except
// its own; in a gather: the root of the largest subtree, half of all bytes. In the v form all ranks must know all
// sizes.

#include "algorithm/applicability.hpp"
#include "algorithm/gather_scatter/tree_scatter.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {
namespace {

template <class Functions>
constexpr Algorithm row(Collective collective, std::string_view summary) {
  return {.name = "bine",
          .summary = summary,
          .source = "De Sensi et al., SC 2025",
          .collective = collective,
          .parameters = {},
          .applies = applies_if<power_of_two_ranks, sizes_are_known>,
          .build = Functions::build,
          .cost = Functions::cost,
          .is_for_large_network = true};
}

using Gather = TreeGather<pattern::BineTree>;
using Scatter = TreeScatter<pattern::BineTree>;

constexpr std::string_view k_up =
    "blocks travel up a Bine tree, whose distances are a third shorter than those of a binomial one";
constexpr std::string_view k_down =
    "blocks travel down a Bine tree, whose distances are a third shorter than those of a binomial one";

}  // namespace

extern const Algorithm gather_bine = row<Gather>(Collective::gather, k_up);
extern const Algorithm gatherv_bine = row<Gather>(Collective::gatherv, k_up);
extern const Algorithm scatter_bine = row<Scatter>(Collective::scatter, k_down);
extern const Algorithm scatterv_bine = row<Scatter>(Collective::scatterv, k_down);

}  // namespace tutti::algorithm
