// Binomial gather(v) and scatter(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations
// in MPICH, IJHPCA 2005, §4), here k-nomial. In a scatter every rank receives the blocks of its subtree in one message
// and forwards those of its children's subtrees. A gather is the same with time reversed.
//
//   scatter, round   1             2           3          root 0, p = 8, radix 2
//            0 ─► 4  4-7   0 ─► 2  2,3   0 ─► 1  1
//                          4 ─► 6  6,7   2 ─► 3  3        the sends of one rank do not wait for each other;
//                                        4 ─► 5  5        the largest subtree goes first
//                                        6 ─► 7  7
//
//   gather, round    1           2             3
//            1 ─► 0  1
//            3 ─► 2  3   2 ─► 0  2,3
//            5 ─► 4  5   6 ─► 4  6,7   4 ─► 0  4-7
//            7 ─► 6  7
//
// Rounds: the height of the tree (log2 p for a power of two and radix 2; empty leaves do not count). Busiest rank in a
// scatter: the root, Σn without its own block; in a gather: the root of the largest subtree (n·p/2 for a power of two
// and radix 2). Copies: inner ranks copy their own block out of or into scratch memory. The root sends from and
// receives at the final offset if the blocks of a subtree are contiguous there, and otherwise uses scratch memory. In
// the v form all ranks must know all sizes.

#include "algorithm/applicability.hpp"
#include "algorithm/gather_scatter/tree_scatter.hpp"
#include "algorithm/parameters.hpp"
#include "pattern/knomial.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {radix_parameter(2, "digits of the tree: 2 is binomial", 1 << 16)};

template <class Functions>
constexpr Algorithm row(Collective collective, std::string_view summary) {
  return {.name = "binomial",
          .summary = summary,
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
          .collective = collective,
          .parameters = k_parameters,
          .applies = sizes_are_known,
          .build = Functions::build,
          .cost = Functions::cost};
}

using Gather = TreeGather<pattern::KnomialTree>;
using Scatter = TreeScatter<pattern::KnomialTree>;

constexpr std::string_view k_up =
    "blocks travel up a k-nomial tree, each rank passing on those of its subtree";
constexpr std::string_view k_down =
    "blocks travel down a k-nomial tree, each rank handing on those of its subtree";

}  // namespace

extern const Algorithm gather_binomial = row<Gather>(Collective::gather, k_up);
extern const Algorithm gatherv_binomial = row<Gather>(Collective::gatherv, k_up);
extern const Algorithm scatter_binomial = row<Scatter>(Collective::scatter, k_down);
extern const Algorithm scatterv_binomial = row<Scatter>(Collective::scatterv, k_down);

}  // namespace tutti::algorithm
