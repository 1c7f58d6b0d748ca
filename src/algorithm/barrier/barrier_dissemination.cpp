// k-way dissemination barrier (Hensgen, Finkel, Manber, IJPP 1988; k-way: Hoefler et al., IPDPS 2006; the symmetric
// two-way form of a barrier on the NIC: paper 003 §1.2). In round s every rank signals the radix - 1 ranks at distances
// j·radix^s; after it, every rank has received signals, directly or indirectly, of radix^(s+1) ranks.
//
//   radix 2, 5 ranks, rank 0 sends to          radix 3, symmetric, 9 ranks, rank 0 sends to
//   round 1   1                                round 1   1  8
//   round 2   2                                round 2   3  6
//   round 3   4
//
// Rounds ⌈log_radix p⌉, no bytes. The last round sends only the signals that are still needed.

#include <array>

#include "algorithm/parameters.hpp"
#include "algorithm/phase.hpp"
#include "pattern/dissemination.hpp"

namespace tutti::algorithm {
namespace {

using pattern::DisseminationShape;

constexpr auto k_shapes = std::to_array<std::string_view>({"forward", "symmetric"});
constexpr Parameter k_parameters[] = {
    radix_parameter(2, "ranks heard of grow by this factor per round"),
    choice_parameter("shape", "peers stand on one side (forward) or on both (symmetric)", k_shapes)};

DisseminationShape shape_of(const ParameterSet& parameters) {
  return static_cast<DisseminationShape>(parameters[1]);
}

bool applies(const RankInvariantRequest&, const Topology&, const ParameterSet& parameters,
             std::string* why_not) {
  if (shape_of(parameters) == DisseminationShape::forward || parameters[0] % 2 == 1) return true;
  *why_not = "the symmetric shape needs an odd radix, not " + std::to_string(parameters[0]);
  return false;
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  ScheduleBuilder builder;
  TaskIds heard;  // arrivals of all earlier rounds, which a signal implies
  for (const auto& distances :
       pattern::dissemination_rounds(p, static_cast<Rank>(parameters[0]), shape_of(parameters))) {
    for (Rank d : distances) builder.notify(Peer::rank((me + d) % p), heard);
    for (Rank d : distances) heard.push_back(builder.await(Peer::rank((me + p - d) % p)));
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return {pattern::ceil_log(static_cast<uint64_t>(request.rank_count), parameters[0]), 0};
}

}  // namespace

extern const Algorithm barrier_dissemination = {
    .name = "dissemination",
    .summary = "every rank signals radix - 1 peers per round, at growing distances",
    .source = "Hensgen, Finkel, Manber 1988; paper 003 §1.2",
    .collective = Collective::barrier,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
    .is_the_same_for_all = true,
};

}  // namespace tutti::algorithm
