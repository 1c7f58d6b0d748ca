// k-nomial tree reduction (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §6), pipelined in segments: while a tree node
// reduces one segment, the next one is in flight.
//
//   radix 2, 8 ranks      round 1   7 ─► 6   5 ─► 4   3 ─► 2   1 ─► 0
//                         round 2   6 ─► 4   2 ─► 0
//                         round 3   4 ─► 0
//
// Rounds: the height of the tree (at most ⌈log_radix p⌉), busiest rank n bytes. With operators that do not commute rank
// 0 collects and forwards to the root: one more round if the root is another rank. Inner ranks forward through four
// scratch buffers, so that segment i waits for segment i - 4: ⌊(S-1)/4⌋ rounds more for S segments if there are inner
// ranks.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/reduce/tree_reduce.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {radix_parameter(2), segment_parameter(64 << 10)};

using Knomial = TreeReduce<pattern::KnomialTree, 1>;

}  // namespace

extern const Algorithm reduce_knomial = {
    .name = "knomial",
    .summary = "segments are reduced on their way up a k-nomial tree",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §6",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = message_in_segments<1>,
    .build = Knomial::build,
    .cost = Knomial::cost,
};

}  // namespace tutti::algorithm
