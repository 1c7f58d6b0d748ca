#pragma once
// The mapping of a communicator's ranks to nodes. Pure data; node_map.hpp determines it.

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "schedule/task.hpp"

namespace tutti::topology {

using schedule::Rank;

/// Ranks grouped into nodes. Immutable. Nodes are numbered from 0 in the order of their lowest rank; the ranks of a
/// node are in ascending order.
class Topology {
 public:
  /// One node number per rank, in any order and with any values. Error: invalid_argument if empty.
  static base::Result<Topology> from_node_of_rank(std::span<const int32_t> node_of_rank);
  /// `rank_count` ranks, each on a node of its own.
  static Topology flat(Rank rank_count);
  /// Ranks 0 … ranks_per_node - 1 on node 0, and so on; the last node may have fewer.
  static Topology blocked(Rank rank_count, Rank ranks_per_node);

  Rank rank_count() const { return static_cast<Rank>(node_of_rank_.size()); }
  int32_t node_count() const { return static_cast<int32_t>(first_of_node_.size()) - 1; }
  int32_t node_of(Rank rank) const { return node_of_rank_[static_cast<size_t>(rank)]; }
  /// Position of `rank` among the ranks of its node.
  Rank local_index(Rank rank) const { return local_index_[static_cast<size_t>(rank)]; }
  std::span<const Rank> ranks_of(int32_t node) const {
    const auto n = static_cast<size_t>(node);
    return {ranks_by_node_.data() + first_of_node_[n], first_of_node_[n + 1] - first_of_node_[n]};
  }
  Rank largest_node_size() const;
  Rank smallest_node_size() const;
  /// True if the concatenation of all nodes' ranks is 0, 1, 2, …
  bool ranks_are_contiguous() const;

  /// The leader of `node` (DESIGN §5): by default its first rank.
  Rank leader_of(int32_t node) const { return leader_of_node_[static_cast<size_t>(node)]; }
  bool is_leader(Rank rank) const { return leader_of(node_of(rank)) == rank; }
  /// A copy in which `rank` leads its node, as leader policy `first` decides when an operation starts. The leaders of
  /// the other nodes are then unknown, and messages are addressed to nodes.
  Topology with_leader(Rank rank) const;
  /// True for a result of with_leader().
  bool leaders_compete() const { return leaders_compete_; }

  /// A copy whose nodes are parts of larger ones, such as the containers of a machine: `group_of_node` has one number
  /// per node, in any order and with any values. No groups if all nodes are in one, or each is alone.
  Topology with_groups(std::span<const int32_t> group_of_node) const;
  bool has_groups() const { return !group_of_node_.empty(); }
  /// Empty without groups.
  std::span<const int32_t> group_of_node() const { return group_of_node_; }
  /// The topology in which this one's nodes are the ranks, and its groups are the nodes. Requires has_groups().
  Topology between_nodes() const { return from_node_of_rank(group_of_node_).value(); }

  size_t footprint_bytes() const;

 private:
  Topology() = default;
  std::vector<int32_t> node_of_rank_;
  std::vector<Rank> local_index_;
  std::vector<Rank> ranks_by_node_;
  std::vector<uint32_t> first_of_node_;  // node_count() + 1 entries
  std::vector<Rank> leader_of_node_;
  std::vector<int32_t> group_of_node_;  // empty: no groups
  bool leaders_compete_ = false;
};

}  // namespace tutti::topology
