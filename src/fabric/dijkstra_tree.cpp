#include "fabric/dijkstra_tree.hpp"

#include <algorithm>

namespace tutti::fabric {

DijkstraTree::DijkstraTree(const Fabric& fabric, const Forest& forest)
    : fabric_(fabric),
      forest_(forest),
      settled_(fabric.switch_count(), 0),
      kept_(fabric.link_count(), 0),
      in_shape_(fabric.switch_count(), 0),
      terminal_(fabric.switch_count(), 0),
      parent_(fabric.switch_count()) {}

bool DijkstraTree::is_allowed(SwitchId id) const {
  if (forest_.colours().is_free(id, request_->colour)) return true;
  const TreeId tree = forest_.colours().tree_at(id, request_->colour);
  return std::find(request_->merged.begin(), request_->merged.end(), tree) != request_->merged.end();
}

bool DijkstraTree::build(const Request& request, TreeShape& shape) {
  request_ = &request;
  ++stamp_;
  distance_.assign(fabric_.switch_count(), k_infinite);
  if (request.strategy == MergeStrategy::keep)
    for (const TreeId tree : request.merged)
      for (const LinkId link : forest_.tree(tree).shape.links) kept_[link] = stamp_;
  if (!is_allowed(request.root)) return false;
  distance_[request.root] = 0;
  parent_[request.root] = {k_none, k_none};
  queue_ = {};
  queue_.push({0, request.root});
  missing_ = 0;
  for (const SwitchId at : request.terminals) {
    missing_ += terminal_[at] != stamp_ ? 1 : 0;
    terminal_[at] = stamp_;
  }
  while (!queue_.empty() && missing_ > 0) {
    const auto [distance, at] = queue_.top();
    queue_.pop();
    if (settled_[at] != stamp_) settle_tree(at);
  }
  shape.root = request.root;
  return trace(request.terminals, shape);
}

/// Settles a switch and the whole merged tree that it belongs to: breadth-first along the tree's own links,
/// so that the tree keeps its shape (algorithm 5, lines 5 to 12).
void DijkstraTree::settle_tree(SwitchId id) {
  std::vector<SwitchId> together{id};
  settled_[id] = stamp_;
  for (size_t head = 0; head < together.size(); ++head) {
    const SwitchId at = together[head];
    for (const Arc& arc : fabric_.arcs(at)) {
      if (kept_[arc.link] != stamp_ || settled_[arc.to] == stamp_) continue;
      settled_[arc.to] = stamp_;
      distance_[arc.to] = distance_[at] + weight(arc);
      parent_[arc.to] = {at, arc.link};
      together.push_back(arc.to);
    }
  }
  for (const SwitchId at : together) settle(at);
}

/// Relaxes the arcs of `id`.
void DijkstraTree::settle(SwitchId id) {
  if (terminal_[id] == stamp_) --missing_;
  for (const Arc& arc : fabric_.arcs(id)) {
    if (forest_.link_load(arc.link) > request_->most_load) continue;
    const Distance distance = distance_[id] + weight(arc);
    if (settled_[arc.to] == stamp_ || distance >= distance_[arc.to] || !is_allowed(arc.to)) continue;
    distance_[arc.to] = distance;
    parent_[arc.to] = {id, arc.link};
    queue_.push({distance, arc.to});
  }
}

bool DijkstraTree::trace(std::span<const SwitchId> terminals, TreeShape& shape) {
  shape.switches.assign(1, shape.root);
  shape.links.clear();
  in_shape_[shape.root] = stamp_;
  height_ = 0;
  for (SwitchId at : terminals) {
    if (distance_[at] == k_infinite) return false;
    height_ = std::max(height_, static_cast<uint32_t>(distance_[at] >> 32));
    for (; in_shape_[at] != stamp_; at = parent_[at].to) {
      in_shape_[at] = stamp_;
      shape.switches.push_back(at);
      shape.links.push_back(parent_[at].link);
    }
  }
  height_ -= trim_root(fabric_, terminals, shape);
  return true;
}

}  // namespace tutti::fabric
