// MR4LMS as printed in paper 004: FBTC (algorithm 1), FCTB (algorithm 3) and the choice between them
// (algorithm 7).

#include <algorithm>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

namespace {

/// Number of consecutive successes of FCTB after which FBTC is tried again (section 3.4).
constexpr uint32_t k_fctb_successes = 20;

constexpr int64_t k_no_budget = INT64_MAX;

}  // namespace

void Router::State::place_paper(const Unit& unit) {
  bool is_done = false;
  if (!is_fctb_next) {
    is_done = fbtc(unit);
    is_fctb_next = !is_done;
    fctb_successes = 0;
  } else {
    is_done = fctb(unit);
    fctb_successes = is_done ? fctb_successes + 1 : 0;
    if (fctb_successes >= k_fctb_successes) is_fctb_next = false;
  }
  if (!is_done) merge(unit);
}

/// First build, then colour: the least loaded tree of each root in turn, until one has a colour that is free
/// at all its switches.
bool Router::State::fbtc(const Unit& unit) {
  root_search.find(unit.terminals, roots);
  sort_by_load(roots, roots.size(), base::mixed(options.seed ^ placed));
  for (const SwitchId root : roots) {
    bottom_up.build(root, hops.row(root), unit.terminals, shape);
    forest.common_free(shape.switches, colours);
    Colour colour = lowest_colour(colours);
    if (colour == k_no_colour) {
      if (forest.colours().is_full()) continue;
      colour = forest.open_colour();
      ++counts.opened;
    }
    ++counts.fbtc;
    install_tree(shape, colour, unit.groups);
    return true;
  }
  return false;
}

/// First colour, then build: finds a colour in whose G_colour some root reaches all members within the least
/// height. The paper tests every root for one colour at a time. Here every colour is tested for one root at a
/// time, which can find the same trees, and the first root that has any is taken.
bool Router::State::fctb(const Unit& unit) {
  if (share_covering_tree(unit)) return true;
  const Hops radius = root_search.find(unit.terminals, roots);
  sort_by_load(roots, roots.size(), base::mixed(options.seed ^ placed));
  forest.common_free(unit.terminals, member_colours);
  if (lowest_colour(member_colours) == k_no_colour && forest.colours().is_full()) return false;
  int64_t budget = k_no_budget;
  SwitchId root = roots.front();
  Colour colour = k_no_colour;
  for (const SwitchId candidate : roots) {
    colours = member_colours;
    if (lowest_colour(colours) == k_no_colour) break;
    if (!colour_search.reach(candidate, radius, unit.terminals, colours, budget)) continue;
    root = candidate;
    colour = lowest_colour(colours);
    break;
  }
  if (colour == k_no_colour) {
    if (forest.colours().is_full()) return false;
    colour = forest.open_colour();
    ++counts.opened;
  }
  if (!dijkstra.build({.colour = colour, .root = root, .terminals = unit.terminals, .merged = {}}, shape))
    return false;
  ++counts.fctb;
  install_tree(shape, colour, unit.groups);
  return true;
}

/// A tree that already reaches all members can be a connected part of G_colour (section 3.2.1). A tree
/// reaches the hosts of its groups, so it covers the group if these hosts include all of its members.
bool Router::State::share_covering_tree(const Unit& unit) {
  const auto& members = groups[unit.groups.front()].members;
  const SwitchId first = unit.terminals.front();
  for (Colour colour = 0; colour < forest.colours().opened(); ++colour) {
    const TreeId tree = forest.colours().tree_at(first, colour);
    if (tree == k_none) continue;
    const auto has_all = [&](GroupId id) {
      return std::includes(groups[id].members.begin(), groups[id].members.end(), members.begin(),
                           members.end());
    };
    const auto& sharers = forest.tree(tree).groups;
    if (std::none_of(sharers.begin(), sharers.end(), has_all)) continue;
    for (const GroupId id : unit.groups) {
      forest.share(tree, id);
      groups[id].tree = tree;
    }
    ++counts.shared;
    return true;
  }
  return false;
}

}  // namespace tutti::fabric
