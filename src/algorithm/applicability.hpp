#pragma once
// Conditions of algorithms, and their conjunction. All have the type of Algorithm::applies: they return true if the
// request is acceptable, and otherwise set *why_not to the reason.

#include <string>

#include "algorithm/algorithm.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {

using Condition = bool (*)(const RankInvariantRequest&, const Topology&, const ParameterSet&,
                           std::string* why_not);

bool applies_always(const RankInvariantRequest& request, const Topology& topology,
                    const ParameterSet& parameters, std::string* why_not);
bool operator_commutes(const RankInvariantRequest& request, const Topology& topology,
                       const ParameterSet& parameters, std::string* why_not);
bool power_of_two_ranks(const RankInvariantRequest& request, const Topology& topology,
                        const ParameterSet& parameters, std::string* why_not);
/// For algorithms whose inner ranks forward the blocks of other ranks.
bool sizes_are_known(const RankInvariantRequest& request, const Topology& topology,
                     const ParameterSet& parameters, std::string* why_not);
/// At least two nodes, and at least two ranks on one of them.
bool has_two_levels(const RankInvariantRequest& request, const Topology& topology,
                    const ParameterSet& parameters, std::string* why_not);

/// The message is not cut into too many segments of the length that parameter number k_segment has.
template <size_t k_segment>
bool message_in_segments(const RankInvariantRequest& request, const Topology&, const ParameterSet& parameters,
                         std::string* why_not) {
  return segments_fit(request.bytes, parameters[k_segment], why_not);
}

/// The same for all blocks together.
template <size_t k_segment>
bool blocks_in_segments(const RankInvariantRequest& request, const Topology&, const ParameterSet& parameters,
                        std::string* why_not) {
  return segments_fit(request.blocks.total(request.rank_count), parameters[k_segment], why_not);
}

/// All of these conditions, in this order.
template <Condition... k_conditions>
bool applies_if(const RankInvariantRequest& request, const Topology& topology, const ParameterSet& parameters,
                std::string* why_not) {
  return (k_conditions(request, topology, parameters, why_not) && ...);
}

}  // namespace tutti::algorithm
