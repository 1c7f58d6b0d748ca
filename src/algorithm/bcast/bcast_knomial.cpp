// k-nomial tree broadcast (binomial: Sanders et al.; k-nomial: Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4), pipelined
// in segments.
//
//   radix 2, 8 ranks      round 1   0 ─► 4, 2, 1
//                         round 2   4 ─► 6, 5    2 ─► 3
//                         round 3   6 ─► 7
//
// Rounds: the height of the tree (at most ⌈log_radix p⌉). The root is the busiest rank and sends n bytes to each of its
// children, of which there are (radix-1)·log_radix p if p is a power of the radix.

#include "algorithm/algorithm.hpp"
#include "algorithm/bcast/tree_bcast.hpp"
#include "algorithm/segments.hpp"
#include "pattern/knomial.hpp"

namespace tutti::algorithm {
namespace {

using pattern::KnomialTree;

constexpr Parameter k_parameters[] = {
    {.name = "radix", .summary = "radix of the tree", .default_value = 2, .min = 2, .max = 64},
    {.name = "segment",
     .summary = "bytes that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 64 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

bool applies(const Request& request, const Topology&, const ParameterSet& parameters, std::string* why_not) {
  return segments_fit(request.bytes, parameters[1], why_not);
}

KnomialTree tree_of(const Request& request, const ParameterSet& parameters) {
  return {request.rank_count, static_cast<Rank>(parameters[0])};
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  return build_tree_bcast(request, me, tree_of(request, parameters), parameters[1]);
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const KnomialTree tree = tree_of(request, parameters);
  return {tree.height(), tree.child_count(0) * request.bytes};
}

}  // namespace

extern const Algorithm bcast_knomial;
const Algorithm bcast_knomial = {
    .name = "knomial",
    .summary = "segments follow each other down a k-nomial tree",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
