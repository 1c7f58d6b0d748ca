// Pipelined chain reduction (the reverse of Patarasuk, Faraj, Yuan: Pipelined broadcast, IPDPS 2006). Segments follow
// each other along a chain of all ranks to the root; every rank adds its operand; every link carries n bytes once.
//
//   round   1     2     3     4         root = 0, S = 2
//   3 ─► 2  s0    s1
//   2 ─► 1        s0    s1
//   1 ─► 0              s0    s1
//
// Rounds p-1 (the path of a segment along the chain), busiest rank n bytes. With operators that do not commute rank 0
// collects and forwards to the root: one more round if the root is another rank. Inner ranks forward through four
// scratch buffers, so that segment i waits for segment i - 4: ⌊(S-1)/4⌋ rounds more for S segments if there are inner
// ranks.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/reduce/tree_reduce.hpp"
#include "pattern/chain.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10)};

using Chain = TreeReduce<pattern::Chain, 0>;

}  // namespace

extern const Algorithm reduce_chain = {
    .name = "chain",
    .summary = "segments are reduced on their way along a chain of all ranks",
    .source = "Patarasuk, Faraj, Yuan, IPDPS 2006, reversed",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = message_in_segments<0>,
    .build = Chain::build,
    .cost = Chain::cost,
};

}  // namespace tutti::algorithm
