// Reduction for early return (paper 002, section 4.1.2): first the head and the tail of the vector, a page each, along
// a tree, so that the root can return; then the rest along a chain, as in reduce_chain.cpp.
//
// Rounds: those of the chain or of the tree; busiest rank: at most the sum of the three parts.

#include "algorithm/edges_then_body.hpp"
#include "algorithm/parameters.hpp"

namespace tutti::algorithm {

extern const Algorithm reduce_knomial, reduce_chain;

namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10)};

using Parts = EdgesThenBody<reduce_knomial, reduce_chain>;

}  // namespace

extern const Algorithm reduce_ordered = {
    .name = "ordered",
    .summary = "the edges of the vector, then a chain: for calls that return early",
    .source = "after Li, Sun, Huo, Ma: T-NBC, section 4.1.2",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = Parts::applies,
    .build = Parts::build,
    .cost = Parts::cost,
    .is_for_early_return = true,
};

}  // namespace tutti::algorithm
