#include "fabric/forest.hpp"

#include <algorithm>
#include <utility>

namespace tutti::fabric {

uint32_t trim_root(const Fabric& fabric, std::span<const SwitchId> terminals, TreeShape& shape) {
  for (uint32_t cut = 0;; ++cut) {
    if (std::ranges::find(terminals, shape.root) != terminals.end()) return cut;
    const auto is_branch = [&](LinkId id) {
      return fabric.link(id).a == shape.root || fabric.link(id).b == shape.root;
    };
    const auto branch = std::find_if(shape.links.begin(), shape.links.end(), is_branch);
    if (std::find_if(branch + 1, shape.links.end(), is_branch) != shape.links.end()) return cut;
    const Link& link = fabric.link(*branch);
    shape.links.erase(branch);
    std::erase(shape.switches, shape.root);
    shape.root = link.a == shape.root ? link.b : link.a;
  }
}

Forest::Forest(const Fabric& fabric, uint32_t colour_limit)
    : fabric_(&fabric),
      colours_(fabric.switch_count(), colour_limit),
      link_load_(fabric.link_count(), 0),
      switch_load_(fabric.switch_count(), 0) {}

/// Negative changes are passed as large unsigned numbers; the sums wrap to the correct value.
void Forest::add_load(const TreeShape& shape, uint32_t groups) {
  for (const LinkId id : shape.links) {
    const Link& link = fabric_->link(id);
    link_load_[id] += groups;
    switch_load_[link.a] += groups;
    switch_load_[link.b] += groups;
  }
}

void Forest::occupy(TreeId id) {
  const Tree& tree = trees_[id];
  for (const SwitchId at : tree.shape.switches) colours_.take(at, tree.colour, id);
  add_load(tree.shape, static_cast<uint32_t>(tree.groups.size()));
}

void Forest::vacate(TreeId id) {
  const Tree& tree = trees_[id];
  for (const SwitchId at : tree.shape.switches) colours_.release(at, tree.colour);
  add_load(tree.shape, 0u - static_cast<uint32_t>(tree.groups.size()));
}

TreeId Forest::plant(TreeShape shape, Colour colour, std::vector<GroupId> groups) {
  TreeId id = tree_slots();
  if (unused_.empty()) {
    trees_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  trees_[id] = {colour, std::move(shape), std::move(groups)};
  occupy(id);
  return id;
}

void Forest::share(TreeId id, GroupId group) {
  trees_[id].groups.push_back(group);
  add_load(trees_[id].shape, 1);
}

void Forest::unshare(TreeId id, GroupId group) {
  std::erase(trees_[id].groups, group);
  add_load(trees_[id].shape, 0u - 1u);
}

void Forest::reshape(TreeId id, TreeShape shape) {
  vacate(id);
  trees_[id].shape = std::move(shape);
  occupy(id);
}

Tree Forest::fell(TreeId id) {
  vacate(id);
  unused_.push_back(id);
  return std::exchange(trees_[id], {});
}

void Forest::common_free(std::span<const SwitchId> switches, std::vector<ColourWord>& result) const {
  result.assign(colours_.words(), ~ColourWord{0});
  for (const SwitchId at : switches) intersect(result, colours_.free_at(at));
}

uint32_t Forest::heaviest_load() const {
  return link_load_.empty() ? 0 : std::ranges::max(link_load_);
}

size_t Forest::memory_bytes() const {
  size_t bytes = colours_.memory_bytes() + trees_.capacity() * sizeof(Tree);
  for (const Tree& tree : trees_)
    bytes += (tree.shape.switches.capacity() + tree.shape.links.capacity() + tree.groups.capacity()) *
             sizeof(uint32_t);
  return bytes + (link_load_.capacity() + switch_load_.capacity()) * sizeof(uint32_t);
}

}  // namespace tutti::fabric
