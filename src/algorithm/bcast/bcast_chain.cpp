// Pipelined chain broadcast (Patarasuk, Faraj, Yuan: Pipelined broadcast on Ethernet switched clusters, IPDPS 2006).
// The message is cut into S segments that follow each other down a chain; every link carries n bytes once.
//
//   round   1     2     3     4         root = 0, S = 2
//   0 ─► 1  s0    s1
//   1 ─► 2        s0    s1
//   2 ─► 3              s0    s1
//
// Rounds p-1 (the path of a segment down the chain), busiest rank n bytes. The engine's window limits the messages in
// flight; without it rendezvous transports do not pipeline at all.

#include "algorithm/applicability.hpp"
#include "algorithm/bcast/tree_bcast.hpp"
#include "algorithm/parameters.hpp"
#include "pattern/chain.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10)};

using Chain = TreeBcast<pattern::Chain, 0>;

}  // namespace

extern const Algorithm bcast_chain = {
    .name = "chain",
    .summary = "segments follow each other down a chain of all ranks",
    .source = "Patarasuk, Faraj, Yuan, IPDPS 2006",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = message_in_segments<0>,
    .build = Chain::build,
    .cost = Chain::cost,
};

}  // namespace tutti::algorithm
