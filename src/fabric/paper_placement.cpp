#include <algorithm>

#include "fabric/placement.hpp"

namespace tutti::fabric {

namespace {

/// Number of consecutive successes of FCTB after which FBTC is tried again (section 3.4).
constexpr uint32_t k_fctb_successes = 20;

}  // namespace

bool PaperPlacement::place(const Unit& unit) {
  bool is_done = false;
  if (!is_fctb_next_) {
    is_done = fbtc(unit);
    is_fctb_next_ = !is_done;
    fctb_successes_ = 0;
  } else {
    is_done = fctb(unit);
    fctb_successes_ = is_done ? fctb_successes_ + 1 : 0;
    if (fctb_successes_ >= k_fctb_successes) is_fctb_next_ = false;
  }
  return is_done;
}

/// First build, then colour: the least loaded tree of each root in turn, until one has a colour that is free
/// at all its switches.
bool PaperPlacement::fbtc(const Unit& unit) {
  routing_.find_roots(unit.terminals, SIZE_MAX, routing_.salt(), roots_);
  for (const SwitchId root : roots_) {
    bottom_up_.build(root, routing_.hops().row(root), unit.terminals, shape_);
    routing_.forest().common_free(shape_.switches, colours_);
    Colour colour = lowest_colour(colours_);
    if (colour == k_no_colour) {
      if (routing_.colours().is_full()) continue;
      colour = routing_.open_colour();
      ++routing_.counts().opened;
    }
    ++routing_.counts().fbtc;
    routing_.plant(shape_, colour, unit.groups);
    return true;
  }
  return false;
}

/// First colour, then build: finds a colour in whose G_colour some root reaches all members within the least
/// height. The paper tests every root for one colour at a time. Here every colour is tested for one root at a
/// time, which can find the same trees, and the first root that has any is taken.
bool PaperPlacement::fctb(const Unit& unit) {
  if (share_covering_tree(unit)) return true;
  const Hops radius = routing_.find_roots(unit.terminals, SIZE_MAX, routing_.salt(), roots_);
  routing_.forest().common_free(unit.terminals, member_colours_);
  if (lowest_colour(member_colours_) == k_no_colour && routing_.colours().is_full()) return false;
  int64_t budget = INT64_MAX;
  SwitchId root = roots_.front();
  Colour colour = k_no_colour;
  for (const SwitchId candidate : roots_) {
    colours_ = member_colours_;
    if (lowest_colour(colours_) == k_no_colour) break;
    if (!colour_search_.reach(candidate, radius, unit.terminals, colours_, budget)) continue;
    root = candidate;
    colour = lowest_colour(colours_);
    break;
  }
  if (colour == k_no_colour) {
    if (routing_.colours().is_full()) return false;
    colour = routing_.open_colour();
    ++routing_.counts().opened;
  }
  if (!dijkstra_.build({.colour = colour, .root = root, .terminals = unit.terminals}, shape_)) return false;
  ++routing_.counts().fctb;
  routing_.plant(shape_, colour, unit.groups);
  return true;
}

/// A tree that already reaches all members can be a connected part of G_colour (section 3.2.1). A tree
/// reaches the hosts of its groups, so it covers the group if these hosts include all of its members.
bool PaperPlacement::share_covering_tree(const Unit& unit) {
  const auto& groups = routing_.groups();
  const auto& members = groups[unit.groups.front()].members;
  const auto has_all = [&](GroupId id) { return std::ranges::includes(groups[id].members, members); };
  for (Colour colour = 0; colour < routing_.colours().opened(); ++colour) {
    const TreeId tree = routing_.colours().tree_at(unit.terminals.front(), colour);
    if (tree == k_none || std::ranges::none_of(routing_.forest().tree(tree).groups, has_all)) continue;
    for (const GroupId id : unit.groups) routing_.share(tree, id);
    ++routing_.counts().shared;
    return true;
  }
  return false;
}

}  // namespace tutti::fabric
