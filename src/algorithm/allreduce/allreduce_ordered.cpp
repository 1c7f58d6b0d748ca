// Allreduce for early return (paper 002, section 4.1.2): first the head and the tail of the vector, a page each, by
// recursive doubling, so that the call can return; then the rest by a ring, as in allreduce_ring.cpp.
//
// Rounds: 2(p-1), or those of the edges if they are more; busiest rank: at most the sum of the three parts.

#include "algorithm/edges_then_body.hpp"
#include "algorithm/parameters.hpp"

namespace tutti::algorithm {

extern const Algorithm allreduce_recursive_doubling, allreduce_ring;

namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10, "bytes of a block that travel together")};

using Parts = EdgesThenBody<allreduce_recursive_doubling, allreduce_ring>;

}  // namespace

extern const Algorithm allreduce_ordered = {
    .name = "ordered",
    .summary = "the edges of the vector, then a ring: for calls that return early",
    .source = "after Li, Sun, Huo, Ma: T-NBC, section 4.1.2",
    .collective = Collective::allreduce,
    .parameters = k_parameters,
    .applies = Parts::applies,
    .build = Parts::build,
    .cost = Parts::cost,
    .is_for_early_return = true,
};

}  // namespace tutti::algorithm
