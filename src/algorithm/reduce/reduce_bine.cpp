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

constexpr Parameter k_parameters[] = {segment_parameter(64 << 10)};

using Bine = TreeReduce<pattern::BineTree, 0>;

}  // namespace

extern const Algorithm reduce_bine = {
    .name = "bine",
    .summary = "segments are reduced on their way up a Bine tree",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = applies_if<power_of_two_ranks, operator_commutes, message_in_segments<0>>,
    .build = Bine::build,
    .cost = Bine::cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
