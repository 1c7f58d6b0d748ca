// Balancing after many groups were planned together: moves trees off the cables that carry most groups (EFI,
// paper 004, definition 6) as long as each of these cables can lose one. The new tree has an open colour and
// is no higher. Greedy placement cannot do this: it chooses trees before it knows the groups that follow.
// Groups that share a tree may be split into two trees for this, in new colours if more are allowed.

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

namespace {

/// Cost of inspecting a cable in a search, in arcs.
constexpr int64_t k_search_cost = 4;
constexpr size_t k_any_number = SIZE_MAX;
/// Largest diameter for which paths count as short.
constexpr Hops k_short_ways = 6;

}  // namespace

struct Router::State::BalanceBudget {
  int64_t arcs;           // that may be inspected, for each group
  size_t roots;           // for which trees of least height are grown, the least loaded first
  size_t searched_roots;  // from which longer paths are searched
  size_t scarce;          // that search runs only if at most this many roots give the least height

  static BalanceBudget of(Effort effort, Sharing sharing, Hops diameter);
};

Router::State::BalanceBudget Router::State::BalanceBudget::of(Effort effort, Sharing sharing, Hops diameter) {
  if (effort == Effort::thorough)
    return {.arcs = 40'000, .roots = 64, .searched_roots = 2, .scarce = k_any_number};
  switch (sharing) {
    case Sharing::none:
      return {.arcs = 1'000, .roots = 16, .searched_roots = 0, .scarce = 0};
    // With fewer trees than groups there is time for more work on each.
    case Sharing::of_alike:
      return {.arcs = 16'000, .roots = 64, .searched_roots = 1, .scarce = 8};
    // Trees that serve all kinds of hosts cover nearly all switches: those of least height leave few
    // alternatives. On long paths a search gains little for its time.
    case Sharing::of_any:
      break;
  }
  const int64_t arcs = diameter <= k_short_ways ? 16'000 : 4'000;
  return {.arcs = arcs, .roots = 64, .searched_roots = 1, .scarce = k_any_number};
}

void Router::State::balance(Effort effort, Sharing sharing) {
  BalanceBudget budget = BalanceBudget::of(effort, sharing, hops.diameter());
  budget.arcs *= static_cast<int64_t>(groups.size());
  for (uint32_t load = heaviest_load(); load > 1 && reduce_max_load(load, budget); load = heaviest_load()) {
  }
}

uint32_t Router::State::heaviest_load() const {
  uint32_t most = 0;
  for (LinkId link = 0; link < fabric.link_count(); ++link) most = std::max(most, forest.link_load(link));
  return most;
}

/// Removes at least one tree from every cable that carries `load` groups. False when a cable keeps all of its
/// trees.
bool Router::State::reduce_max_load(uint32_t load, BalanceBudget& budget) {
  std::vector<std::pair<LinkId, TreeId>> crossings;
  for (TreeId id = 0; id < forest.tree_slots(); ++id)
    for (const LinkId link : forest.tree(id).shape.links)
      if (forest.link_load(link) == load) crossings.emplace_back(link, id);
  std::sort(crossings.begin(), crossings.end());
  for (auto first = crossings.begin(); first != crossings.end();) {
    const LinkId link = first->first;
    const auto last =
        std::find_if(first, crossings.end(), [&](const auto& other) { return other.first != link; });
    if (!unload_link(link, {first, last}, load, budget)) return false;
    first = last;
  }
  return true;
}

/// Moves a tree off a cable that carries `load` groups. Whole trees are tried first, because two halves need
/// more colours.
bool Router::State::unload_link(LinkId link, std::span<const std::pair<LinkId, TreeId>> crossings,
                                uint32_t load, BalanceBudget& budget) {
  for (const bool may_part : {false, true})
    for (const auto& [cable, tree] : crossings)
      if (forest.link_load(link) == load) reroute_off_link(tree, link, load, may_part, budget);
  return forest.link_load(link) < load;
}

/// Replaces a tree by a new one, or by two with half of its groups each, such that every cable of them
/// carries less than `load` groups. If that is impossible, the tree stays.
void Router::State::reroute_off_link(TreeId id, LinkId link, uint32_t load, bool may_part,
                                     BalanceBudget& budget) {
  const Tree& tree = forest.tree(id);
  if (budget.arcs < 0 || (may_part && tree.groups.size() == 1) ||
      std::find(tree.shape.links.begin(), tree.shape.links.end(), link) == tree.shape.links.end())
    return;
  Tree old = forest.fell(id);  // install_tree() reuses its id
  const Unit unit = unit_of(old.groups);
  const bool has_moved = may_part ? split_group(unit, old.colour, load - 1, budget)
                                  : install_tree_below_load(unit, old.colour, load - 1, false, budget);
  if (!has_moved) install_tree(std::move(old.shape), old.colour, std::move(old.groups));
}

/// Builds two trees for the groups of a felled one: they can use cables that the one tree cannot. On failure,
/// returns false and changes nothing.
bool Router::State::split_group(const Unit& unit, Colour colour, uint32_t most_load, BalanceBudget& budget) {
  const auto middle = unit.groups.begin() + static_cast<std::ptrdiff_t>(unit.groups.size() / 2);
  const Unit first = unit_of({unit.groups.begin(), middle}), second = unit_of({middle, unit.groups.end()});
  const uint32_t opened = forest.colours().opened();
  if (!install_tree_below_load(first, colour, most_load, true, budget)) return false;
  if (install_tree_below_load(second, colour, most_load, true, budget)) return true;
  forest.fell(groups[first.groups.front()].tree);
  if (forest.colours().opened() > opened) forest.close_colour();
  return false;
}

/// Plants a tree whose cables carry at most `most_load` groups each: in an open colour or, if allowed, in a
/// new one. In `colour` the tree may also be a little higher than necessary.
bool Router::State::install_tree_below_load(const Unit& unit, Colour colour, uint32_t most_load,
                                            bool may_open, BalanceBudget& budget) {
  const auto weight = static_cast<uint32_t>(unit.groups.size());
  if (weight > most_load) return false;
  const uint32_t most_before = most_load - weight;
  const uint64_t salt = base::mixed(options.seed ^ ++placed);
  const Hops radius = root_search.find(unit.terminals, roots);
  forest.common_free(unit.terminals, member_colours);
  sort_by_load(roots, budget.roots, salt);
  budget.arcs -= static_cast<int64_t>(hops.switch_count());
  const auto grow = [&] {
    Colour found = k_no_colour;
    for (size_t i = 0; i < roots.size() && found == k_no_colour && budget.arcs >= 0; ++i)
      found = grow_below_load(unit, roots[i], most_before, salt, budget.arcs);
    return found;
  };
  Colour found = grow();
  if (found == k_no_colour)
    found =
        search_below_load(unit, colour, static_cast<Hops>(radius + k_most_extra_hops), most_before, budget);
  if (found == k_no_colour && may_open && !forest.colours().is_full()) {
    forest.open_colour();
    forest.common_free(unit.terminals, member_colours);
    found = grow();
    if (found == k_no_colour) forest.close_colour();
  }
  if (found == k_no_colour) return false;
  install_tree(shape, found, unit.groups);
  return true;
}

/// Grows a tree of least height over cables with at most `most_load` groups. Returns its colour, or
/// k_no_colour.
Colour Router::State::grow_below_load(const Unit& unit, SwitchId root, uint32_t most_load, uint64_t salt,
                                      int64_t& budget) {
  colours = member_colours;
  const auto free = forest.colours().free_at(root);
  for (size_t word = 0; word < colours.size(); ++word) colours[word] &= free[word];
  const bool is_grown =
      lowest_colour(colours) != k_no_colour &&
      bottom_up.build_guided(root, hops.row(root), unit.terminals, colours, salt, budget, shape, most_load);
  return is_grown ? lowest_colour(colours) : k_no_colour;
}

/// The same in one colour, on paths of any shape that are a little longer.
Colour Router::State::search_below_load(const Unit& unit, Colour colour, Hops highest, uint32_t most_load,
                                        BalanceBudget& budget) {
  if (roots.size() > budget.scarce) return k_no_colour;
  const size_t count = std::min(roots.size(), budget.searched_roots);
  for (size_t i = 0; i < count && budget.arcs >= 0; ++i) {
    budget.arcs -= k_search_cost * static_cast<int64_t>(fabric.link_count());
    if (dijkstra.build({.colour = colour,
                        .root = roots[i],
                        .terminals = unit.terminals,
                        .merged = {},
                        .most_load = most_load},
                       shape) &&
        dijkstra.height() <= highest)
      return colour;
  }
  return k_no_colour;
}

}  // namespace tutti::fabric
