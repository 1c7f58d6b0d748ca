// Binomial scatter(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH,
// IJHPCA 2005, §4), here k-nomial. Every rank receives the blocks of its subtree in one message and forwards those of
// its children's subtrees.
//
//   round   1             2           3          root 0, p = 8, radix 2
//   0 ─► 4  4-7   0 ─► 2  2,3   0 ─► 1  1
//                 4 ─► 6  6,7   2 ─► 3  3        the sends of one rank do not wait for each other;
//                               4 ─► 5  5        the largest subtree goes first
//                               6 ─► 7  7
//
// Rounds: the height of the tree (log2 p for a power of two and radix 2; empty leaves do not count). Busiest rank: the
// root, Σn without its own block. Copies: inner ranks copy their own block out of scratch memory. The root sends
// directly if the blocks of a subtree are contiguous, and otherwise packs them in scratch memory. In the v form all
// ranks must know all sizes.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/scatter/tree_scatter.hpp"
#include "pattern/knomial.hpp"

namespace tutti::algorithm {
namespace {

using pattern::KnomialTree;

constexpr Parameter k_parameters[] = {radix_parameter(2, "digits of the tree: 2 is binomial", 1 << 16)};

KnomialTree tree_of(const Request& request, const ParameterSet& parameters) {
  return {request.rank_count, static_cast<Rank>(parameters[0])};
}

base::Result<Schedule> build(const Request& request, Rank rank, const Topology&,
                             const ParameterSet& parameters) {
  return build_tree_scatter(request, rank, tree_of(request, parameters));
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return tree_scatter_cost(request, tree_of(request, parameters));
}

constexpr Algorithm row(Collective collective) {
  return {.name = "binomial",
          .summary = "blocks travel down a k-nomial tree, each rank handing on those of its subtree",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
          .collective = collective,
          .parameters = k_parameters,
          .applies = sizes_are_known,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm scatter_binomial = row(Collective::scatter);
extern const Algorithm scatterv_binomial = row(Collective::scatterv);

}  // namespace tutti::algorithm
