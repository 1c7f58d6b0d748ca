#include "algorithm/late_order.hpp"

#include <algorithm>

namespace tutti::algorithm {

namespace {

Rank leader_beside(const Topology& topology, int32_t node, Rank late) {
  const auto ranks = topology.ranks_of(node);
  const auto punctual = std::ranges::find_if(ranks, [late](Rank rank) { return rank != late; });
  return punctual == ranks.end() ? late : *punctual;
}

/// Begins with the root. The late rank's node is the last one, unless the root is on it.
std::vector<Rank> chain_of_leaders(const Topology& topology, Rank root, Rank late) {
  const int32_t first = topology.node_of(root), last = topology.node_of(late);
  std::vector<Rank> leaders{root};
  for (int32_t node = 0; node < topology.node_count(); ++node)
    if (node != first && node != last) leaders.push_back(leader_beside(topology, node, late));
  if (last != first) leaders.push_back(leader_beside(topology, last, late));
  return leaders;
}

}  // namespace

bool late_parameters_fit(const RankInvariantRequest& request, const Topology& topology,
                         const ParameterSet& parameters, std::string* why_not) {
  const uint64_t late = parameters[0];
  if (late < static_cast<uint64_t>(request.rank_count))
    return message_in_segments<1>(request, topology, parameters, why_not);
  *why_not = "there is no rank " + std::to_string(late) + " that could be late";
  return false;
}

TreePlace late_last_place(const Topology& topology, Rank me, Rank root, Rank late) {
  const int32_t my_node = topology.node_of(me);
  const Rank leader = my_node == topology.node_of(root) ? root : leader_beside(topology, my_node, late);
  if (me != leader) return {.parent = Peer::local(leader), .children = {}};
  TreePlace place = chain_place(chain_of_leaders(topology, root, late), me);
  std::vector<Rank> others;
  for (const Rank rank : topology.ranks_of(my_node))
    if (rank != leader) others.push_back(rank);
  std::stable_partition(others.begin(), others.end(), [late](Rank rank) { return rank != late; });
  for (const Rank rank : others) place.children.insert(place.children.begin(), Peer::local(rank));
  return place;
}

std::vector<Rank> punctual_ranks(const Topology& topology, Rank late) {
  std::vector<Rank> ranks;
  const auto add_node = [&](int32_t node) {
    for (const Rank rank : topology.ranks_of(node))
      if (rank != late) ranks.push_back(rank);
  };
  add_node(topology.node_of(late));
  for (int32_t node = 0; node < topology.node_count(); ++node)
    if (node != topology.node_of(late)) add_node(node);
  return ranks;
}

}  // namespace tutti::algorithm
