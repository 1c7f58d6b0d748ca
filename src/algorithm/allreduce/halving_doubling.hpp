#pragma once
// Allreduce by halving and doubling: recursive halving leaves every rank with one block of the result, recursive
// doubling collects the blocks everywhere, over the same partners in reverse. Other than a power of two of ranks is
// folded first: one of two neighbours hands its operand to the other and gets the result at the end. Each block is
// reduced by one rank, so that all ranks get the same bits.

#include "algorithm/algorithm.hpp"
#include "pattern/halving.hpp"

namespace tutti::algorithm {

base::Result<Schedule> build_halving_doubling(const Request& request, Rank me, pattern::HalvingOrder order);
/// With P the largest power of two up to p: rounds 2·log2 P, busiest rank 2n·(P-1)/P bytes; when p > P two rounds and n
/// bytes more.
Cost halving_doubling_cost(const Request& request, pattern::HalvingOrder order);

}  // namespace tutti::algorithm
