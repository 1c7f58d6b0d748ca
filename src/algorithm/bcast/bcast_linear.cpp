// Linear broadcast: the root sends the whole message to every other rank.
//
//   0 ─► 1
//   0 ─► 2
//   0 ─► 3
//
// Rounds 1, busiest rank (p-1)·n bytes. Good for two ranks and inside a node.

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/tree_bcast.hpp"
#include "pattern/chain.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Star;

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  return build_tree_bcast(request, me, Star{request.rank_count}, UINT64_MAX);
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return tree_bcast_cost(request, Star{request.rank_count});
}

}  // namespace

extern const Algorithm bcast_linear = {
    .name = "linear",
    .summary = "the root sends to every rank",
    .source = "folklore",
    .collective = Collective::bcast,
    .parameters = {},
    .applies = applies_always,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
