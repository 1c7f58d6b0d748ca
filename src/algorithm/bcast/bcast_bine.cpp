// Bine tree broadcast (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp), pipelined in segments.
//
//   8 ranks, root 0       round 1   0 ─► 3
//                         round 2   0 ─► 7   3 ─► 4
//                         round 3   0 ─► 1   7 ─► 6   3 ─► 2   4 ─► 5
//
// Powers of two only. Rounds log2 p, busiest rank: the root, n·log2 p bytes. Distances are a third shorter than those
// of a binomial tree, and so are the paths over long cables in a network in which ranks with near numbers are close to
// each other.

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/tree_bcast.hpp"
#include "algorithm/parameters.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(64 << 10)};

using Bine = TreeBcast<pattern::BineTree, 0>;

}  // namespace

extern const Algorithm bcast_bine = {
    .name = "bine",
    .summary =
        "segments follow each other down a Bine tree, whose distances are a third shorter than those of a "
        "binomial one",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = applies_if<power_of_two_ranks, message_in_segments<0>>,
    .build = Bine::build,
    .cost = Bine::cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
