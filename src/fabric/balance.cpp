// After many groups were planned together: trees leave the cables that carry most groups (EFI, paper 004,
// definition 6) as long as each of these cables can lose one, for another tree in an open colour that is no
// higher. Greedy placement cannot do this: it chooses between trees before it knows what comes after.

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

namespace {

/// What a cable costs in a search, in arcs.
constexpr int64_t k_search_cost = 4;

}  // namespace

struct Router::State::Allowance {
  int64_t arcs;           // that may be looked at: given for each group
  size_t roots;           // that trees of least height are grown to, the least loaded first
  size_t searched_roots;  // that longer ways are searched from
};

void Router::State::balance(Effort effort) {
  constexpr Allowance k_quick{.arcs = 1'000, .roots = 16, .searched_roots = 0};
  constexpr Allowance k_thorough{.arcs = 40'000, .roots = 64, .searched_roots = 2};
  Allowance allowance = effort == Effort::quick ? k_quick : k_thorough;
  allowance.arcs *= static_cast<int64_t>(groups.size());
  for (uint32_t load = heaviest_load(); load > 1 && lighten(load, allowance); load = heaviest_load()) {
  }
}

uint32_t Router::State::heaviest_load() const {
  uint32_t most = 0;
  for (LinkId link = 0; link < fabric.link_count(); ++link) most = std::max(most, forest.link_load(link));
  return most;
}

/// Takes a tree off every cable that carries `load` groups. False when one of them keeps all of its trees.
bool Router::State::lighten(uint32_t load, Allowance& allowance) {
  std::vector<std::pair<LinkId, TreeId>> crossings;
  for (TreeId id = 0; id < forest.tree_slots(); ++id)
    for (const LinkId link : forest.tree(id).shape.links)
      if (forest.link_load(link) == load) crossings.emplace_back(link, id);
  std::sort(crossings.begin(), crossings.end());
  for (size_t i = 0; i < crossings.size(); ++i) {
    const auto [link, tree] = crossings[i];
    if (forest.link_load(link) == load) {
      move_off(tree, link, load, allowance);
      const bool was_last = i + 1 == crossings.size() || crossings[i + 1].first != link;
      if (was_last && forest.link_load(link) == load) return false;
    }
  }
  return true;
}

/// Grows a tree anew where every cable carries less than `load` afterwards; where that cannot be, it stays.
void Router::State::move_off(TreeId id, LinkId link, uint32_t load, Allowance& allowance) {
  const auto& links = forest.tree(id).shape.links;
  const auto weight = static_cast<uint32_t>(forest.tree(id).groups.size());
  if (weight >= load || allowance.arcs < 0 || std::find(links.begin(), links.end(), link) == links.end())
    return;
  Tree old = forest.fell(id);  // plant() takes its number again
  const Unit unit = unit_of(old.groups);
  const uint64_t salt = base::mixed(options.seed ^ ++placed);
  const Hops radius = root_search.find(unit.terminals, roots);
  forest.common_free(unit.terminals, member_colours);
  sort_by_load(roots, allowance.roots, salt);
  allowance.arcs -= static_cast<int64_t>(hops.switch_count());
  Colour colour = k_no_colour;
  for (size_t i = 0; i < roots.size() && colour == k_no_colour && allowance.arcs >= 0; ++i)
    colour = grow_lightly(unit, roots[i], load - 1 - weight, salt, allowance.arcs);
  if (colour == k_no_colour)
    colour = search_lightly(unit, old.colour, static_cast<Hops>(radius + k_most_extra_hops),
                            load - 1 - weight, allowance);
  if (colour != k_no_colour) return plant(shape, colour, std::move(old.groups));
  plant(std::move(old.shape), old.colour, std::move(old.groups));
}

/// A tree of least height over cables with at most `most_load` groups, and its colour, or none.
Colour Router::State::grow_lightly(const Unit& unit, SwitchId root, uint32_t most_load, uint64_t salt,
                                   int64_t& budget) {
  colours = member_colours;
  const auto free = forest.colours().free_at(root);
  for (size_t word = 0; word < colours.size(); ++word) colours[word] &= free[word];
  const bool is_grown =
      lowest_colour(colours) != k_no_colour &&
      bottom_up.build_guided(root, hops.row(root), unit.terminals, colours, salt, budget, shape, most_load);
  return is_grown ? lowest_colour(colours) : k_no_colour;
}

/// The same in one colour, on ways of any shape that are little longer.
Colour Router::State::search_lightly(const Unit& unit, Colour colour, Hops highest, uint32_t most_load,
                                     Allowance& allowance) {
  const size_t count = std::min(roots.size(), allowance.searched_roots);
  for (size_t i = 0; i < count && allowance.arcs >= 0; ++i) {
    allowance.arcs -= k_search_cost * static_cast<int64_t>(fabric.link_count());
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
