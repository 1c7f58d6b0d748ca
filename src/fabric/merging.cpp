#include "fabric/merging.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tutti::fabric {

namespace {

/// Number of roots tried for a merged tree, the least loaded first. The paper tries all, but each of them costs a
/// search of the whole fabric.
constexpr size_t k_most_merged_roots = 2;

/// Number of trees whose union with the group is built before the best is chosen: with MergeStrategy::rebuild each
/// union costs a search of the whole fabric.
constexpr size_t k_most_partners = 2;

/// Distance between a group and trees (formula 1). The formula is missing in the text of the paper. According
/// to its description it is the mean, over the members of both, of the shortest distance from a member to the
/// members of the other:
///
///   d(A, B) = ( Σ_{a in A} min_{b in B} d(a, b) + Σ_{b in B} min_{a in A} d(a, b) ) / (|A| + |B|)
///
/// A are the switches of the group's members, B the switches of the tree.
class Similarity {
 public:
  Similarity(const HopTable& hops, std::span<const SwitchId> terminals) : hops_(hops), terminals_(terminals) {
    near_.assign(hops.row(terminals.front()), hops.row(terminals.front()) + hops.switch_count());
    for (const SwitchId at : terminals) {
      const Hops* row = hops.row(at);
      for (size_t i = 0; i < near_.size(); ++i) near_[i] = std::min(near_[i], row[i]);
    }
  }

  /// The distance, or any value that is at least `enough` as soon as the distance cannot be less.
  double distance(std::span<const SwitchId> tree, double enough) const {
    const auto count = static_cast<double>(tree.size() + terminals_.size());
    uint64_t sum = 0;
    for (const SwitchId at : tree) sum += near_[at];
    if (static_cast<double>(sum) >= enough * count) return enough;
    for (const SwitchId at : terminals_) {
      const Hops* row = hops_.row(at);
      Hops least = k_unreachable;
      for (const SwitchId to : tree) least = std::min(least, row[to]);
      sum += least;
    }
    return static_cast<double>(sum) / count;
  }

 private:
  const HopTable& hops_;
  std::span<const SwitchId> terminals_;
  std::vector<Hops> near_;  // from each switch to the nearest terminal
};

/// Inspects all trees. Ties go to the lowest number, for any number of threads.
TreeId most_similar(const Routing& routing, const Unit& unit) {
  const Forest& forest = routing.forest();
  const Similarity similarity(routing.hops(), unit.terminals);
  const unsigned threads = std::max(routing.options().threads, 1u);
  std::vector<std::pair<double, TreeId>> nearest(threads, {1e9, k_none});
  const auto look = [&](unsigned part) {
    for (TreeId id = part; id < forest.tree_slots(); id += threads) {
      const Tree& tree = forest.tree(id);
      if (tree.groups.empty()) continue;
      const double distance = similarity.distance(tree.shape.switches, nearest[part].first);
      if (distance < nearest[part].first) nearest[part] = {distance, id};
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned part = 1; part < threads; ++part) helpers.emplace_back(look, part);
    look(0);
  }
  return std::min_element(nearest.begin(), nearest.end())->second;
}

/// Trees that use a colour at most of the group's switches: likely the nearest ones, found without inspecting
/// all trees.
std::vector<TreeId> overlapping(const Routing& routing, const Unit& unit, size_t most) {
  const Forest& forest = routing.forest();
  std::vector<TreeId> seen;
  for (const SwitchId at : unit.terminals)
    for (Colour colour = 0; colour < forest.colours().opened(); ++colour)
      if (const TreeId tree = forest.colours().tree_at(at, colour); tree != k_none) seen.push_back(tree);
  std::sort(seen.begin(), seen.end());
  std::vector<std::pair<uint64_t, TreeId>> candidates;
  for (size_t begin = 0, end; begin < seen.size(); begin = end) {
    for (end = begin; end < seen.size() && seen[end] == seen[begin];) ++end;
    const Tree& tree = forest.tree(seen[begin]);
    // Estimated sum of groups over all cables of the merged tree: every group of it counts on every link, and
    // each switch that the tree lacks takes about two more links. This cost keeps trees small and shared by
    // few groups.
    const uint64_t missing = unit.terminals.size() - (end - begin);
    const uint64_t cost = (tree.shape.links.size() + 2 * missing) * (tree.groups.size() + unit.groups.size());
    candidates.emplace_back(cost, seen[begin]);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.resize(std::min(candidates.size(), most));
  std::vector<TreeId> result;
  for (const auto& [cost, tree] : candidates) result.push_back(tree);
  return result;
}

}  // namespace

Unit Merging::with_trees(const Unit& unit, std::span<const TreeId> merged) const {
  std::vector<GroupId> ids = unit.groups;
  for (const TreeId tree : merged)
    ids.insert(ids.end(), forest_.tree(tree).groups.begin(), forest_.tree(tree).groups.end());
  return routing_.unit_of(std::move(ids));
}

void Merging::merge(const Unit& unit) {
  const TreeId similar = most_similar(routing_, unit);
  const Tree& tree = forest_.tree(similar);
  // Only in a disconnected fabric: this part has no tree, and its switches have no colour in common.
  if (routing_.hops().hops(tree.shape.root, unit.terminals.front()) == k_unreachable) return;
  const Colour colour = tree.colour;
  std::vector<TreeId> merged{similar};
  Unit whole = with_trees(unit, merged);
  // Line 4: whether the members are connected in G_colour, where merged trees count as free.
  if (!dijkstra_.build({colour, whole.terminals.front(), whole.terminals, merged}, shape_))
    add_blocking_trees(unit, colour, merged, whole);
  if (build(whole, colour, merged)) commit(unit, colour, merged);
}

bool Merging::merge_in(const Unit& unit, Colour colour, std::vector<TreeId> merged) {
  Unit whole = with_trees(unit, merged);
  add_blocking_trees(unit, colour, merged, whole);
  if (!build(whole, colour, merged)) return false;
  commit(unit, colour, merged);
  return true;
}

/// Lines 5 to 11: builds a temporary tree through all members of `whole`, the unit and `merged`, and also
/// merges every tree of the colour that it crosses.
void Merging::add_blocking_trees(const Unit& unit, Colour colour, std::vector<TreeId>& merged, Unit& whole) {
  routing_.find_roots(whole.terminals, 1, routing_.salt(), roots_);
  bottom_up_.build(roots_.front(), routing_.hops().row(roots_.front()), whole.terminals, shape_);
  for (const SwitchId at : shape_.switches) {
    const TreeId tree = routing_.colours().tree_at(at, colour);
    if (tree != k_none && std::ranges::find(merged, tree) == merged.end()) merged.push_back(tree);
  }
  whole = with_trees(unit, merged);
}

/// Lines 12 to 15: finds the root with the smallest height in G_colour, and its tree: best_shape_.
bool Merging::build(const Unit& whole, Colour colour, std::span<const TreeId> merged) {
  routing_.find_roots(whole.terminals, k_most_merged_roots, routing_.salt(), roots_);
  roots_.push_back(whole.terminals.front());  // always in G_colour
  uint32_t least = UINT32_MAX;
  for (const SwitchId root : roots_) {
    const bool is_last_resort = root == roots_.back();
    if (is_last_resort && least != UINT32_MAX) break;
    if (!dijkstra_.build({colour, root, whole.terminals, merged, routing_.options().merge}, shape_)) continue;
    if (dijkstra_.height() >= least) continue;
    least = dijkstra_.height();
    std::swap(best_shape_, shape_);
  }
  return least != UINT32_MAX;
}

void Merging::merge_guided(const Unit& unit) {
  std::pair best_cost{UINT32_MAX, size_t{0}};
  TreeId best = k_none;
  for (const TreeId partner : overlapping(routing_, unit, k_most_partners)) {
    if (!join_partner(unit, partner, shape_)) continue;
    const std::pair cost{load_after(unit, partner, shape_), shape_.links.size()};
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = partner;
    std::swap(best_shape_, shape_);
  }
  if (best == k_none) return merge(unit);
  commit(unit, forest_.tree(best).colour, {&best, 1});
}

bool Merging::join_partner(const Unit& unit, TreeId partner, TreeShape& joined) {
  const MergeStrategy strategy = routing_.options().merge;
  if (strategy == MergeStrategy::keep) return graft_.build(partner, unit.terminals, joined);
  const Unit whole = with_trees(unit, {&partner, 1});
  const Tree& tree = forest_.tree(partner);
  return dijkstra_.build({tree.colour, tree.shape.root, whole.terminals, {&partner, 1}, strategy}, joined);
}

/// The load of the heaviest link after a merge: new links carry all groups of the tree; links of the old
/// tree also carry the new groups.
uint32_t Merging::load_after(const Unit& unit, TreeId partner, const TreeShape& joined) {
  const Tree& tree = forest_.tree(partner);
  const size_t all = unit.groups.size() + tree.groups.size();
  old_links_.resize(routing_.fabric().link_count(), 0);
  for (const LinkId link : tree.shape.links) old_links_[link] = 1;
  uint32_t most = 0;
  for (const LinkId link : joined.links) {
    const size_t added = old_links_[link] != 0 ? unit.groups.size() : all;
    most = std::max(most, forest_.link_load(link) + static_cast<uint32_t>(added));
  }
  for (const LinkId link : tree.shape.links) old_links_[link] = 0;
  return most;
}

/// Plants best_shape_ in place of the merged trees, for their groups and the unit's.
void Merging::commit(const Unit& unit, Colour colour, std::span<const TreeId> merged) {
  std::vector<GroupId> ids = unit.groups;
  for (const TreeId tree : merged) {
    const Tree felled = routing_.fell(tree);
    ids.insert(ids.end(), felled.groups.begin(), felled.groups.end());
  }
  ++routing_.counts().merged;
  routing_.plant(best_shape_, colour, std::move(ids));
}

}  // namespace tutti::fabric
