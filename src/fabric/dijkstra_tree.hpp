#pragma once
// Trees by Dijkstra's algorithm in G_colour, which may absorb existing trees (paper 004, section 3.3.2,
// algorithm 5).

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "fabric/forest.hpp"
#include "fabric/hop_table.hpp"

namespace tutti::fabric {

/// How trees are merged.
enum class MergeStrategy : uint8_t {
  keep,     // existing branches stay and new ones are added: no packet is lost
  rebuild,  // one new tree replaces them: shorter, but packets may be lost while tables change
};

/// Reuses its memory between calls. Each thread needs its own object.
class DijkstraTree {
 public:
  DijkstraTree(const Fabric& fabric, const Forest& forest);

  struct Request {
    Colour colour;
    SwitchId root;
    std::span<const SwitchId> terminals;  // of all groups of the tree
    std::span<const TreeId> merged = {};  // trees of this colour that become part of it
    MergeStrategy strategy = MergeStrategy::keep;
    uint32_t most_load = UINT32_MAX;  // links that carry more groups are not used
  };

  /// Builds the tree of shortest paths from the root to the terminals, over switches where the colour is free
  /// or used by a merged tree. Shortest means fewest hops, then the smallest sum of loads. Under `keep` the
  /// links of a merged tree take precedence wherever the search meets them. False when a terminal cannot be
  /// reached.
  bool build(const Request& request, TreeShape& shape);

  /// Hops from the root to the farthest terminal of the last tree.
  uint32_t height() const { return height_; }

 private:
  // hops · 2^32 + sum of loads: the number of hops takes precedence.
  using Distance = uint64_t;
  using Item = std::pair<Distance, SwitchId>;
  static constexpr Distance k_infinite = UINT64_MAX;

  bool is_allowed(SwitchId id) const;
  void settle(SwitchId id);
  void settle_tree(SwitchId id);
  bool trace(std::span<const SwitchId> terminals, TreeShape& shape);
  Distance weight(const Arc& arc) const { return (Distance{1} << 32) + forest_.link_load(arc.link); }

  const Fabric& fabric_;
  const Forest& forest_;
  const Request* request_ = nullptr;
  uint32_t stamp_ = 0, height_ = 0;
  size_t missing_ = 0;  // terminals that are not settled
  std::vector<Distance> distance_;
  std::vector<uint32_t> settled_;   // == stamp_: the distance is final
  std::vector<uint32_t> kept_;      // per link, == stamp_: of a merged tree that is kept
  std::vector<uint32_t> in_shape_;  // == stamp_
  std::vector<uint32_t> terminal_;  // == stamp_
  struct Parent {
    SwitchId to;
    LinkId link;
  };
  std::vector<Parent> parent_;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue_;
};

}  // namespace tutti::fabric
