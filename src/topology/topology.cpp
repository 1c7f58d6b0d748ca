#include "topology/topology.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tutti::topology {

base::Result<Topology> Topology::from_node_of_rank(std::span<const int32_t> node_of_rank) {
  if (node_of_rank.empty()) return base::Status::invalid_argument("topology: no ranks");
  Topology t;
  std::unordered_map<int32_t, int32_t> number_of;  // caller's node number -> number by lowest rank
  std::vector<uint32_t> size;
  for (int32_t name : node_of_rank) {
    const auto [at, is_new] = number_of.try_emplace(name, static_cast<int32_t>(number_of.size()));
    if (is_new) size.push_back(0);
    t.node_of_rank_.push_back(at->second);
    t.local_index_.push_back(static_cast<Rank>(size[static_cast<size_t>(at->second)]++));
  }
  t.first_of_node_.assign(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), t.first_of_node_.begin() + 1);
  t.ranks_by_node_.resize(node_of_rank.size());
  for (size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto node = static_cast<size_t>(t.node_of_rank_[rank]);
    t.ranks_by_node_[t.first_of_node_[node] + static_cast<uint32_t>(t.local_index_[rank])] =
        static_cast<Rank>(rank);
  }
  for (size_t node = 0; node < size.size(); ++node)
    t.leader_of_node_.push_back(t.ranks_by_node_[t.first_of_node_[node]]);
  return t;
}

Topology Topology::flat(Rank rank_count) {
  return blocked(rank_count, 1);
}

Topology Topology::blocked(Rank rank_count, Rank ranks_per_node) {
  std::vector<int32_t> node(static_cast<size_t>(rank_count));
  for (Rank r = 0; r < rank_count; ++r) node[static_cast<size_t>(r)] = r / ranks_per_node;
  return from_node_of_rank(node).value();
}

Rank Topology::largest_node_size() const {
  Rank largest = 0;
  for (int32_t n = 0; n < node_count(); ++n)
    largest = std::max(largest, static_cast<Rank>(ranks_of(n).size()));
  return largest;
}

Rank Topology::smallest_node_size() const {
  Rank smallest = rank_count();
  for (int32_t n = 0; n < node_count(); ++n)
    smallest = std::min(smallest, static_cast<Rank>(ranks_of(n).size()));
  return smallest;
}

bool Topology::ranks_are_contiguous() const {
  return std::is_sorted(ranks_by_node_.begin(), ranks_by_node_.end());
}

Topology Topology::with_leader(Rank rank) const {
  Topology copy = *this;
  copy.leader_of_node_[static_cast<size_t>(node_of(rank))] = rank;
  copy.leaders_compete_ = true;
  return copy;
}

Topology Topology::with_groups(std::span<const int32_t> group_of_node) const {
  Topology copy = *this;
  copy.group_of_node_.assign(group_of_node.begin(), group_of_node.end());
  const int32_t groups = copy.between_nodes().node_count();
  if (groups == 1 || groups == node_count()) copy.group_of_node_.clear();
  return copy;
}

size_t Topology::footprint_bytes() const {
  return sizeof *this + node_of_rank_.capacity() * sizeof(int32_t) + local_index_.capacity() * sizeof(Rank) +
         ranks_by_node_.capacity() * sizeof(Rank) + first_of_node_.capacity() * sizeof(uint32_t) +
         leader_of_node_.capacity() * sizeof(Rank) + group_of_node_.capacity() * sizeof(int32_t);
}

}  // namespace tutti::topology
