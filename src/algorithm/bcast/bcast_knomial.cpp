// k-nomial tree broadcast (binomial: Sanders et al.; k-nomial: Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4), pipelined
// in segments.
//
//   radix 2, 8 ranks      round 1   0 ─► 4, 2, 1
//                         round 2   4 ─► 6, 5    2 ─► 3
//                         round 3   6 ─► 7
//
// Rounds: the height of the tree (at most ⌈log_radix p⌉). The root is the busiest rank and sends n bytes to each of its
// children, of which there are (radix-1)·log_radix p if p is a power of the radix.

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/tree_bcast.hpp"
#include "algorithm/parameters.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {radix_parameter(2), segment_parameter(64 << 10)};

using Knomial = TreeBcast<pattern::KnomialTree, 1>;

}  // namespace

extern const Algorithm bcast_knomial = {
    .name = "knomial",
    .summary = "segments follow each other down a k-nomial tree",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = message_in_segments<1>,
    .build = Knomial::build,
    .cost = Knomial::cost,
};

}  // namespace tutti::algorithm
