// Bine allreduce (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp): Rabenseifner's algorithm at the distances of
// a Bine butterfly. Partners at distance 1 exchange halves of the vector, then those at distance -1 quarters, then at
// 3, -5, …; doubling uses the same partners in reverse.
//
//   4 ranks, blocks a b c d     round 1   0 ◄─► 1: ab|cd    3 ◄─► 2: ab|cd      halving, nearest first
//                               round 2   0 ◄─► 3: a|b      1 ◄─► 2: c|d
//                               round 3   0 ◄─► 3: a|b      1 ◄─► 2: c|d        doubling
//                               round 4   0 ◄─► 1: ab|cd    3 ◄─► 2: ab|cd
//
// With P the largest power of two not above p: rounds 2·log2 P, busiest rank 2n·(P-1)/P bytes; if p > P, two rounds and
// n bytes more. The operator must commute; each block is reduced by one rank, so that all ranks get the same bits.

#include "algorithm/allreduce/halving_doubling.hpp"
#include "algorithm/applicability.hpp"

namespace tutti::algorithm {
namespace {

constexpr pattern::HalvingOrder k_order = pattern::HalvingOrder::bine;

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  return build_halving_doubling(request, me, k_order);
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return halving_doubling_cost(request, k_order);
}

}  // namespace

extern const Algorithm allreduce_bine = {
    .name = "bine",
    .summary = "recursive halving reduce-scatter at Bine distances, then recursive doubling allgather",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = operator_commutes,
    .build = build,
    .cost = cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
