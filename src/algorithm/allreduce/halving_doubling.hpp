#pragma once
// Allreduce by halving and doubling: recursive halving leaves every rank with one block of the result; recursive
// doubling collects the blocks on all ranks, over the same partners in reverse. A number of ranks that is not a power
// of two is folded first: in each pair of neighbours one rank sends its operand to the other and receives the result at
// the end. Each block is reduced by one rank, so that all ranks get the same bits.

#include "algorithm/algorithm.hpp"
#include "pattern/halving.hpp"

namespace tutti::algorithm {

base::Result<Schedule> build_halving_doubling(const Request& request, Rank me, pattern::HalvingOrder order);
/// With P the largest power of two not above p: rounds 2·log2 P, busiest rank 2n·(P-1)/P bytes; if p > P, two rounds
/// and n bytes more.
Cost halving_doubling_cost(const Request& request, pattern::HalvingOrder order);

}  // namespace tutti::algorithm
