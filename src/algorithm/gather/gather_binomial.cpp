// Binomial gather(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA
// 2005, §4), here k-nomial. Every rank collects the blocks of its subtree and sends them to its parent in one message.
//
//   round   1           2             3          root 0, p = 8, radix 2
//   1 ─► 0  1
//   3 ─► 2  3       2 ─► 0  2,3
//   5 ─► 4  5       6 ─► 4  6,7     4 ─► 0  4-7
//   7 ─► 6  7
//
// Rounds: the height of the tree (log2 p for a power of two and radix 2; empty leaves do not count). Busiest rank: the
// root of the largest subtree (n·p/2 for a power of two and radix 2). Copies: inner ranks copy their own block in front
// of the others in scratch memory. The root receives at the final offset if the blocks of a subtree are contiguous
// there, otherwise through scratch memory. In the v form all ranks must know all sizes.

#include "algorithm/applicability.hpp"
#include "algorithm/gather/tree_gather.hpp"
#include "algorithm/parameters.hpp"
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
  return build_tree_gather(request, rank, tree_of(request, parameters));
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return tree_gather_cost(request, tree_of(request, parameters));
}

constexpr Algorithm row(Collective collective) {
  return {.name = "binomial",
          .summary = "blocks travel up a k-nomial tree, each rank passing on those of its subtree",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
          .collective = collective,
          .parameters = k_parameters,
          .applies = sizes_are_known,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm gather_binomial = row(Collective::gather);
extern const Algorithm gatherv_binomial = row(Collective::gatherv);

}  // namespace tutti::algorithm
