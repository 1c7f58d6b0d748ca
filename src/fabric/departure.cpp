// Groups that leave (paper 004, section 3.3.3, algorithm 6), and failed switches.

#include <algorithm>
#include <unordered_map>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

using base::Result;

namespace {

/// The switches of a tree with their remaining links.
class Pruner {
 public:
  Pruner(const Fabric& fabric, const TreeShape& shape) : fabric_(fabric), shape_(shape) {
    for (const LinkId id : shape.links) {
      links_[fabric.link(id).a].push_back(id);
      links_[fabric.link(id).b].push_back(id);
    }
  }

  /// Repeatedly removes switches that have a single link and no member.
  TreeShape pruned(std::span<const SwitchId> terminals) {
    const auto is_needed = [&](SwitchId id) {
      return std::binary_search(terminals.begin(), terminals.end(), id);
    };
    std::vector<SwitchId> ends;
    for (const SwitchId id : shape_.switches)
      if (links_[id].size() <= 1 && !is_needed(id)) ends.push_back(id);
    while (!ends.empty()) {
      const SwitchId end = ends.back();
      ends.pop_back();
      if (links_[end].empty()) continue;
      const LinkId last = links_[end].front();
      const SwitchId next = fabric_.link(last).a == end ? fabric_.link(last).b : fabric_.link(last).a;
      links_.erase(end);
      auto& rest = links_[next];
      rest.erase(std::find(rest.begin(), rest.end(), last));
      if (rest.size() == 1 && !is_needed(next)) ends.push_back(next);
    }
    return what_is_left(is_needed);
  }

 private:
  template <class Needed>
  TreeShape what_is_left(const Needed& is_needed) {
    TreeShape left;
    for (const SwitchId id : shape_.switches)
      if (const auto found = links_.find(id);
          found != links_.end() && (!found->second.empty() || is_needed(id)))
        left.switches.push_back(id);
    for (const LinkId id : shape_.links) {
      const auto found = links_.find(fabric_.link(id).a);
      if (found != links_.end() &&
          std::find(found->second.begin(), found->second.end(), id) != found->second.end())
        left.links.push_back(id);
    }
    const bool has_root =
        std::find(left.switches.begin(), left.switches.end(), shape_.root) != left.switches.end();
    left.root = has_root ? shape_.root : left.switches.front();
    return left;
  }

  const Fabric& fabric_;
  const TreeShape& shape_;
  std::unordered_map<SwitchId, std::vector<LinkId>> links_;
};

}  // namespace

void Router::State::prune(TreeId id) {
  const Tree& tree = forest.tree(id);
  const std::vector<SwitchId> terminals = terminals_of(tree.groups);
  forest.reshape(id, Pruner(fabric, tree.shape).pruned(terminals));
}

Result<std::vector<GroupId>> Router::disconnect(SwitchId id) {
  State& state = *state_;
  std::vector<TreeId> broken;
  for (TreeId tree = 0; tree < state.forest.tree_slots(); ++tree) {
    const auto& switches = state.forest.tree(tree).shape.switches;
    if (std::find(switches.begin(), switches.end(), id) != switches.end()) broken.push_back(tree);
  }
  state.fabric.disconnect(id);
  auto hops = HopTable::compute(state.fabric, state.options.threads);
  if (!hops) return hops.status();
  state.hops = std::move(hops).value();
  state.root_search.forget();
  return state.reroute(broken);
}

/// Each broken tree is rebuilt in its own colour if possible, so that its groups keep their MLID. If the
/// fabric is disconnected, a tree serves the part of its first member; the other members are cut off.
std::vector<GroupId> Router::State::reroute(std::span<const TreeId> trees) {
  std::vector<Tree> felled;
  for (const TreeId id : trees) felled.push_back(forest.fell(id));
  std::vector<GroupId> changed;
  for (const Tree& tree : felled) {
    for (const GroupId id : tree.groups) groups[id].tree = k_none;
    const Unit unit = unit_of(tree.groups);
    if (unit.terminals.empty()) {
      changed.insert(changed.end(), tree.groups.begin(), tree.groups.end());
      continue;
    }
    root_search.find(unit.terminals, roots);
    sort_by_load(roots, 1, base::mixed(options.seed ^ ++placed));
    if (dijkstra.build(
            {.colour = tree.colour, .root = roots.front(), .terminals = unit.terminals, .merged = {}},
            shape)) {
      install_tree(shape, tree.colour, tree.groups);
      continue;
    }
    place(unit);
    for (const GroupId id : tree.groups)
      if (groups[id].tree == k_none || forest.tree(groups[id].tree).colour != tree.colour)
        changed.push_back(id);
  }
  return changed;
}

}  // namespace tutti::fabric
