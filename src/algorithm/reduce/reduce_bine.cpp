// Bine tree reduction (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp), pipelined in segments: while a tree
// node reduces one segment, the next one is in flight.
//
//   8 ranks, root 0       round 1   1 ─► 0   6 ─► 7   2 ─► 3   5 ─► 4
//                         round 2   7 ─► 0   4 ─► 3
//                         round 3   3 ─► 0
//
// Powers of two and operators that commute only. Rounds log2 p, busiest rank n bytes. Inner ranks forward through four
// scratch buffers, so that segment i waits for segment i - 4: ⌊(S-1)/4⌋ rounds more for S segments if there are inner
// ranks.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/reduce/tree_reduce.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {
namespace {

using pattern::BineTree;

constexpr Parameter k_parameters[] = {segment_parameter(64 << 10)};

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  return build_tree_reduce(request, me, parameters[0], [&](Rank position, const auto& peer) {
    const BineTree tree{request.rank_count};
    TreeReduction::Place place;
    if (position > 0) place.parent = peer(tree.parent(position));
    for (const BineTree::Child& child : tree.children(position))
      place.children.push_back(peer(child.position));
    return place;
  });
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return tree_reduce_cost(request, parameters[0], BineTree{request.rank_count}.height());
}

}  // namespace

extern const Algorithm reduce_bine = {
    .name = "bine",
    .summary = "segments are reduced on their way up a Bine tree",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = applies_if<power_of_two_ranks, operator_commutes, message_in_segments<0>>,
    .build = build,
    .cost = cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
