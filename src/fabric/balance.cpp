// Balancing after many groups were planned together: moves trees off the cables that carry most groups (EFI,
// paper 004, definition 6) as long as each of these cables can lose one. The new tree has an open colour and
// is no higher. Greedy placement cannot do this: it chooses trees before it knows the groups that follow.
// Groups that share a tree may be split into two trees for this, in new colours if more are allowed.

#include <algorithm>
#include <utility>

#include "fabric/batch.hpp"
#include "fabric/bottom_up.hpp"
#include "fabric/dijkstra_tree.hpp"

namespace tutti::fabric {

namespace {

/// Cost of inspecting a cable in a search, in arcs.
constexpr int64_t k_search_cost = 4;
constexpr size_t k_any_number = SIZE_MAX;
/// Largest diameter for which paths count as short.
constexpr Hops k_short_ways = 6;

struct BalanceBudget {
  int64_t arcs;           // that may be inspected, for each group
  size_t roots;           // for which trees of least height are grown, the least loaded first
  size_t searched_roots;  // from which longer paths are searched
  size_t scarce;          // that search runs only if at most this many roots give the least height
};

BalanceBudget budget_of(Effort effort, Sharing sharing, Hops diameter) {
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

class Balance {
 public:
  Balance(Routing& routing, const BalanceBudget& budget)
      : routing_(routing),
        budget_(budget),
        arcs_(budget.arcs * static_cast<int64_t>(routing.groups().size())) {}

  void run() {
    for (load_ = forest_.heaviest_load(); load_ > 1 && reduce_max_load(); load_ = forest_.heaviest_load()) {
    }
  }

 private:
  using Crossing = std::pair<LinkId, TreeId>;

  /// Removes at least one tree from every cable that carries the maximum load. False when a cable keeps all of
  /// its trees.
  bool reduce_max_load() {
    std::vector<Crossing> crossings;
    for (TreeId id = 0; id < forest_.tree_slots(); ++id)
      for (const LinkId link : forest_.tree(id).shape.links)
        if (forest_.link_load(link) == load_) crossings.emplace_back(link, id);
    std::sort(crossings.begin(), crossings.end());
    for (auto first = crossings.begin(); first != crossings.end();) {
      const auto last = std::find_if(first, crossings.end(),
                                     [&](const Crossing& other) { return other.first != first->first; });
      if (!unload_link(first->first, {first, last})) return false;
      first = last;
    }
    return true;
  }

  /// Moves a tree off a cable. Whole trees are tried first, because two halves need more colours.
  bool unload_link(LinkId link, std::span<const Crossing> crossings) {
    for (const bool may_part : {false, true})
      for (const auto& [cable, tree] : crossings)
        if (forest_.link_load(link) == load_) reroute_off_link(tree, link, may_part);
    return forest_.link_load(link) < load_;
  }

  /// Replaces a tree by a new one, or by two with half of its groups each, such that every cable of them
  /// carries less than the maximum load. If that is impossible, the tree stays.
  void reroute_off_link(TreeId id, LinkId link, bool may_part) {
    const Tree& tree = forest_.tree(id);
    if (arcs_ < 0 || (may_part && tree.groups.size() == 1) ||
        std::ranges::find(tree.shape.links, link) == tree.shape.links.end())
      return;
    Tree old = routing_.fell(id);  // plant() reuses its id
    const Unit unit = routing_.unit_of(old.groups);
    const bool has_moved = may_part ? split(unit, old.colour) : plant_below_load(unit, old.colour, false);
    if (!has_moved) routing_.plant(std::move(old.shape), old.colour, std::move(old.groups));
  }

  /// Builds two trees for the groups of a felled one: they can use cables that the one tree cannot. On failure,
  /// returns false and changes nothing.
  bool split(const Unit& unit, Colour colour) {
    const auto middle = unit.groups.begin() + static_cast<std::ptrdiff_t>(unit.groups.size() / 2);
    const Unit first = routing_.unit_of({unit.groups.begin(), middle});
    const Unit second = routing_.unit_of({middle, unit.groups.end()});
    const uint32_t opened = forest_.colours().opened();
    if (!plant_below_load(first, colour, true)) return false;
    if (plant_below_load(second, colour, true)) return true;
    routing_.fell(routing_.groups()[first.groups.front()].tree);
    if (forest_.colours().opened() > opened) routing_.close_colour();
    return false;
  }

  /// Plants a tree whose cables carry less than the maximum load: in an open colour or, if allowed, in a new
  /// one. In `colour` the tree may also be a little higher than necessary.
  bool plant_below_load(const Unit& unit, Colour colour, bool may_open) {
    if (unit.groups.size() >= load_) return false;
    most_before_ = load_ - 1 - static_cast<uint32_t>(unit.groups.size());
    salt_ = routing_.next_turn();
    const Hops radius = routing_.find_roots(unit.terminals, budget_.roots, salt_, roots_);
    forest_.common_free(unit.terminals, member_colours_);
    arcs_ -= static_cast<int64_t>(routing_.hops().switch_count());
    Colour found = grow(unit);
    if (found == k_no_colour) found = search(unit, colour, static_cast<Hops>(radius + k_most_extra_hops));
    if (found == k_no_colour && may_open && !forest_.colours().is_full()) {
      routing_.open_colour();
      forest_.common_free(unit.terminals, member_colours_);
      found = grow(unit);
      if (found == k_no_colour) routing_.close_colour();
    }
    if (found == k_no_colour) return false;
    routing_.plant(shape_, found, unit.groups);
    return true;
  }

  /// Grows a tree of least height. Returns its colour, or k_no_colour.
  Colour grow(const Unit& unit) {
    for (size_t i = 0; i < roots_.size() && arcs_ >= 0; ++i) {
      colours_ = member_colours_;
      if (bottom_up_.build_guided(roots_[i], routing_.hops().row(roots_[i]), unit.terminals, colours_, salt_,
                                  arcs_, shape_, most_before_))
        return lowest_colour(colours_);
    }
    return k_no_colour;
  }

  /// The same in one colour, on paths of any shape that are a little longer.
  Colour search(const Unit& unit, Colour colour, Hops highest) {
    if (roots_.size() > budget_.scarce) return k_no_colour;
    const size_t count = std::min(roots_.size(), budget_.searched_roots);
    for (size_t i = 0; i < count && arcs_ >= 0; ++i) {
      arcs_ -= k_search_cost * static_cast<int64_t>(routing_.fabric().link_count());
      const DijkstraTree::Request request{
          .colour = colour, .root = roots_[i], .terminals = unit.terminals, .most_load = most_before_};
      if (dijkstra_.build(request, shape_) && dijkstra_.height() <= highest) return colour;
    }
    return k_no_colour;
  }

  Routing& routing_;
  const Forest& forest_ = routing_.forest();
  const BalanceBudget budget_;
  int64_t arcs_;              // that may still be inspected
  uint32_t load_ = 0;         // the maximum load
  uint32_t most_before_ = 0;  // links that carry more groups cannot carry the unit, too
  uint64_t salt_ = 0;
  BottomUp bottom_up_{routing_.fabric(), forest_};
  DijkstraTree dijkstra_{routing_.fabric(), forest_};
  // Kept between trees to avoid allocations.
  std::vector<SwitchId> roots_;
  std::vector<ColourWord> member_colours_, colours_;
  TreeShape shape_;
};

}  // namespace

void balance(Routing& routing, Effort effort, Sharing sharing) {
  Balance(routing, budget_of(effort, sharing, routing.hops().diameter())).run();
}

}  // namespace tutti::fabric
