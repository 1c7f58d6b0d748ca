#include "algorithm/applicability.hpp"

#include "pattern/shape.hpp"

namespace tutti::algorithm {

bool applies_always(const RankInvariantRequest&, const Topology&, const ParameterSet&, std::string*) {
  return true;
}

bool operator_commutes(const RankInvariantRequest& request, const Topology&, const ParameterSet&,
                       std::string* why_not) {
  if (request.commutative) return true;
  *why_not = "it combines operands out of rank order, and the operator does not commute";
  return false;
}

bool power_of_two_ranks(const RankInvariantRequest& request, const Topology&, const ParameterSet&,
                        std::string* why_not) {
  if (pattern::is_power_of_two(static_cast<uint64_t>(request.rank_count))) return true;
  *why_not = "it needs a power of two of ranks, not " + std::to_string(request.rank_count);
  return false;
}

bool sizes_are_known(const RankInvariantRequest& request, const Topology&, const ParameterSet&,
                     std::string* why_not) {
  if (request.counts_known_everywhere) return true;
  *why_not = "only the root knows the sizes of the blocks, and other ranks would have to pass them on";
  return false;
}

bool has_two_levels(const RankInvariantRequest&, const Topology& topology, const ParameterSet&,
                    std::string* why_not) {
  if (topology.node_count() == 1) {
    *why_not = "all ranks are on one node";
    return false;
  }
  if (topology.largest_node_size() == 1) {
    *why_not = "every rank is alone on its node";
    return false;
  }
  return true;
}

}  // namespace tutti::algorithm
