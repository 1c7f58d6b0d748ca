// Merging when no colour is left (paper 004, section 3.3.1, algorithm 4): optimistically with one tree, or
// pessimistically with all trees that block the new one.

#include <algorithm>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

namespace {

/// Number of roots tried for a merged tree, the least loaded first. The paper tries all.
constexpr size_t k_most_merged_roots = 2;

/// Number of trees whose union with the group is built before the best is chosen.
constexpr size_t k_most_partners = 2;

}  // namespace

Unit Router::State::with_trees(const Unit& unit, std::span<const TreeId> merged) const {
  std::vector<GroupId> ids = unit.groups;
  for (const TreeId tree : merged)
    ids.insert(ids.end(), forest.tree(tree).groups.begin(), forest.tree(tree).groups.end());
  return unit_of(std::move(ids));
}

void Router::State::merge(const Unit& unit) {
  const TreeId similar = most_similar(unit);
  // Only in a disconnected fabric: this part has no tree, and its switches have no colour in common.
  if (hops.hops(forest.tree(similar).shape.root, unit.terminals.front()) == k_unreachable) return;
  const Colour colour = forest.tree(similar).colour;
  std::vector<TreeId> merged{similar};
  Unit whole = with_trees(unit, merged);
  if (!is_connected(whole, colour, merged)) {
    add_trees_in_the_way(whole, colour, merged);
    whole = with_trees(unit, merged);
  }
  if (build_merged(whole, colour, merged, best_shape)) commit_merge(unit, colour, merged, best_shape);
}

/// Line 4: whether the members are connected in G_colour, where merged trees count as free.
bool Router::State::is_connected(const Unit& unit, Colour colour, std::span<const TreeId> merged) {
  return dijkstra.build(
      {.colour = colour, .root = unit.terminals.front(), .terminals = unit.terminals, .merged = merged},
      shape);
}

/// Lines 5 to 11: builds a temporary tree through all members and also merges every tree of the colour that
/// it crosses.
void Router::State::add_trees_in_the_way(const Unit& unit, Colour colour, std::vector<TreeId>& merged) {
  root_search.find(unit.terminals, roots);
  sort_by_load(roots, 1, base::mixed(options.seed ^ placed));
  bottom_up.build(roots.front(), hops.row(roots.front()), unit.terminals, shape);
  for (const SwitchId at : shape.switches) {
    const TreeId tree = forest.colours().tree_at(at, colour);
    if (tree != k_none && std::find(merged.begin(), merged.end(), tree) == merged.end())
      merged.push_back(tree);
  }
}

/// Lines 12 to 15: finds the root with the smallest height in G_colour, and its tree.
bool Router::State::build_merged(const Unit& unit, Colour colour, std::span<const TreeId> merged,
                                 TreeShape& result) {
  root_search.find(unit.terminals, roots);
  sort_by_load(roots, k_most_merged_roots, base::mixed(options.seed ^ placed));
  roots.push_back(unit.terminals.front());  // always in G_colour
  uint32_t least = UINT32_MAX;
  for (const SwitchId root : roots) {
    const bool is_last_resort = root == roots.back();
    if (is_last_resort && least != UINT32_MAX) break;
    if (!dijkstra.build({colour, root, unit.terminals, merged, options.merge}, shape)) continue;
    if (dijkstra.height() >= least) continue;
    least = dijkstra.height();
    std::swap(result, shape);
  }
  return least != UINT32_MAX;
}

/// The load of the heaviest link after a merge: new links carry all groups of the tree; links of the old
/// trees also carry the new groups.
uint32_t Router::State::load_after_merge(const Unit& unit, std::span<const TreeId> merged,
                                         const TreeShape& planted) {
  old_links.resize(fabric.link_count(), 0);
  size_t all = unit.groups.size();
  for (const TreeId tree : merged) {
    all += forest.tree(tree).groups.size();
    for (const LinkId link : forest.tree(tree).shape.links) old_links[link] = 1;
  }
  uint32_t most = 0;
  for (const LinkId link : planted.links) {
    const size_t added = old_links[link] != 0 ? unit.groups.size() : all;
    most = std::max(most, forest.link_load(link) + static_cast<uint32_t>(added));
  }
  for (const TreeId tree : merged)
    for (const LinkId link : forest.tree(tree).shape.links) old_links[link] = 0;
  return most;
}

bool Router::State::join_partner(const Unit& unit, TreeId partner, TreeShape& joined) {
  if (options.merge == MergeStrategy::keep) return graft.build(partner, unit.terminals, joined);
  const Unit whole = with_trees(unit, {&partner, 1});
  const Tree& tree = forest.tree(partner);
  return dijkstra.build({tree.colour, tree.shape.root, whole.terminals, {&partner, 1}, options.merge},
                        joined);
}

/// As in the paper, but with several likely partners: takes the one whose union has the least load on the
/// heaviest link, and then the fewest links. Merges all blocking trees only if no partner can be joined
/// alone.
void Router::State::merge_guided(const Unit& unit) {
  std::vector<TreeId> partners = overlapping(unit, k_most_partners);
  std::pair best_cost{UINT32_MAX, size_t{0}};
  TreeId best = k_none;
  TreeShape candidate;
  for (const TreeId partner : partners) {
    if (!join_partner(unit, partner, candidate)) continue;
    const std::pair cost{load_after_merge(unit, {&partner, 1}, candidate), candidate.links.size()};
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = partner;
    std::swap(best_shape, candidate);
  }
  if (best == k_none) return merge(unit);
  commit_merge(unit, forest.tree(best).colour, {&best, 1}, best_shape);
}

void Router::State::commit_merge(const Unit& unit, Colour colour, std::span<const TreeId> merged,
                                 TreeShape planted) {
  std::vector<GroupId> ids = unit.groups;
  for (const TreeId tree : merged) {
    const Tree felled = forest.fell(tree);
    ids.insert(ids.end(), felled.groups.begin(), felled.groups.end());
  }
  ++counts.merged;
  install_tree(std::move(planted), colour, std::move(ids));
}

}  // namespace tutti::fabric
