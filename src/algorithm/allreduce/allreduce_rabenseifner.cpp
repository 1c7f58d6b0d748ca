// Rabenseifner's allreduce (Rabenseifner, ICCS 2004, §4): recursive halving leaves every rank with one block of the
// result; recursive doubling collects the blocks on all ranks, over the same partners in reverse. A number of ranks
// that is not a power of two is folded first: in each pair of neighbours one rank sends its operand to the other and
// receives the result at the end.
//
//   4 ranks, blocks a b c d     round 1   0 ◄─► 1: ab|cd    2 ◄─► 3: ab|cd      halving, nearest first
//                               round 2   0 ◄─► 2: a|b      1 ◄─► 3: c|d
//                               round 3   0 ◄─► 2: a|b      1 ◄─► 3: c|d        doubling
//                               round 4   0 ◄─► 1: ab|cd    2 ◄─► 3: ab|cd
//
// With P the largest power of two not above p: rounds 2·log2 P, busiest rank 2n·(P-1)/P bytes; if p > P, two rounds and
// n bytes more. Neighbours in rank order are combined first, so that operators need not commute. Each block is reduced
// by one rank, so that all ranks get the same bits.

#include "algorithm/allreduce/halving_doubling.hpp"
#include "algorithm/applicability.hpp"

namespace tutti::algorithm {
namespace {

constexpr pattern::HalvingOrder k_order = pattern::HalvingOrder::near_first;

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  return build_halving_doubling(request, me, k_order);
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return halving_doubling_cost(request, k_order);
}

}  // namespace

extern const Algorithm allreduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "recursive halving reduce-scatter, then recursive doubling allgather",
    .source = "Rabenseifner, ICCS 2004, §4",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = applies_always,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
