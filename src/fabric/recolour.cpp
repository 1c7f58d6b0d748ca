// Recolours trees so that the last colour becomes empty. Greedy placement chooses a tree and a colour before
// it knows the groups that follow. Here some units give up their trees and search for new ones. A unit that
// blocks such a new tree loses its own and searches in turn, until all units have a tree or the budget is
// used up.
//
// This is PartialCol (I. Blöchliger and N. Zufferey, "A graph coloring heuristic using partial solutions and
// a reactive tabu scheme", Computers & Operations Research 35, 2008) for trees, which can also change their
// shape.

#include <algorithm>
#include <map>
#include <utility>

#include "fabric/batch.hpp"
#include "fabric/bottom_up.hpp"

namespace tutti::fabric {

namespace {

/// Number of arcs that may be inspected to save colours, for each group and for one colour, and the largest
/// diameter for which this is done: on long paths a tree has many neighbours, and the gain is small for the
/// time.
struct SearchLimits {
  int64_t arcs_per_group, arcs_per_colour;
  Hops diameter;
};
constexpr SearchLimits k_quick{.arcs_per_group = 2'500, .arcs_per_colour = 4'000'000, .diameter = 6};
constexpr SearchLimits k_thorough{
    .arcs_per_group = 20'000, .arcs_per_colour = 40'000'000, .diameter = k_unreachable};
// Number of least loaded roots that are tried; of colours in which a tree is grown around existing trees; and
// of trees that are grown over others.
constexpr size_t k_tried_roots = 16, k_tried_colours = 4, k_tried_trees = 3;
// Number of turns for which a unit must not reuse a colour that it had to leave: this many, plus one for each
// waiting unit, plus a random number up to this many.
constexpr uint64_t k_tenure = 10;
constexpr uint32_t k_out_of_question = UINT32_MAX;
// Cost of the other steps, in arcs.
constexpr int64_t k_colours_per_arc = 8, k_switches_per_arc = 4, k_hops_per_arc = 128;

class PartialColouring {
 public:
  /// Every unit must get a tree in a colour below the last open one, on cables that then carry at most
  /// `most_load` groups. `arcs`: number of arcs that may be inspected; it is reduced.
  PartialColouring(Routing& routing, uint32_t most_load, int64_t& arcs)
      : routing_(routing), most_load_(most_load), arcs_(arcs) {}

  /// True when no tree has the last colour any more; otherwise each unit has its original tree back.
  bool empty_last_colour() {
    for (TreeId id = 0; id < forest_.tree_slots(); ++id)
      if (const Tree& tree = forest_.tree(id); !tree.groups.empty() && tree.colour == spare_) uncolour(id);
    while (!uncoloured_.empty() && arcs_ >= 0) place_one();
    if (uncoloured_.empty()) return true;
    for (const auto& [key, tree] : before_)
      if (const TreeId id = routing_.groups()[key].tree; id != k_none) routing_.fell(id);
    for (auto& [key, tree] : before_)
      routing_.plant(std::move(tree.shape), tree.colour, std::move(tree.groups));
    return false;
  }

 private:
  using UnitKey = GroupId;  // the first group of a unit
  /// A colour that a unit had to leave, and the turn from which the unit may use it again.
  struct Tabu {
    Colour colour;
    uint64_t until;
  };
  struct Choice {
    uint32_t obstacles;
    uint64_t chance;
    Colour colour;
    auto operator<=>(const Choice&) const = default;
  };

  /// Removes a unit's tree.
  void uncolour(TreeId id) {
    Tree tree = routing_.fell(id);
    uncoloured_.push_back(tree.groups);
    const UnitKey key = tree.groups.front();
    before_.try_emplace(key, std::move(tree));
  }

  /// One turn for a waiting unit. If the unit finds no tree, it keeps waiting.
  void place_one() {
    ++turn_;
    salt_ = routing_.next_turn();
    std::swap(uncoloured_[salt_ % uncoloured_.size()], uncoloured_.back());
    const Unit unit = routing_.unit_of(uncoloured_.back());
    routing_.find_roots(unit.terminals, k_tried_roots, salt_, roots_);
    const auto switches = static_cast<int64_t>(routing_.hops().switch_count());
    arcs_ -= switches / k_switches_per_arc +
             switches * static_cast<int64_t>(unit.terminals.size()) / k_hops_per_arc;
    if (!place_around_others(unit)) place_over_others(unit);
  }

  /// Chooses a colour with few trees at the members' switches: only these are removed, and the new tree grows
  /// around the others.
  bool place_around_others(const Unit& unit) {
    count_obstacles(unit.terminals, unit.groups.front());
    choices_.clear();
    for (Colour colour = 0; colour < spare_; ++colour)
      if (obstacles_[colour] != k_out_of_question)
        choices_.push_back({obstacles_[colour], base::mixed(salt_ ^ colour), colour});
    const size_t count = std::min(choices_.size(), k_tried_colours);
    std::partial_sort(choices_.begin(), choices_.begin() + static_cast<long>(count), choices_.end());
    for (size_t i = 0; i < count; ++i) {
      if (!grow_among_others(unit, choices_[i].colour)) continue;
      settle(unit, shape_, choices_[i].colour);
      return true;
    }
    return false;
  }

  bool grow_among_others(const Unit& unit, Colour colour) {
    std::vector<Tree> moved;
    for (const SwitchId at : unit.terminals)
      if (const TreeId tree = forest_.colours().tree_at(at, colour); tree != k_none)
        moved.push_back(routing_.fell(tree));
    const bool is_grown =
        std::ranges::any_of(roots_, [&](SwitchId root) { return grow(unit, root, colour); });
    for (Tree& tree : moved) routing_.plant(std::move(tree.shape), tree.colour, std::move(tree.groups));
    return is_grown;
  }

  /// Grows a tree regardless of others, and takes the colour in which it blocks the fewest trees.
  void place_over_others(const Unit& unit) {
    uint32_t least = k_out_of_question;
    Colour best = k_no_colour;
    for (size_t i = 0; i < std::min(roots_.size(), k_tried_trees); ++i) {
      if (!grow(unit, roots_[base::mixed(salt_ + i) % roots_.size()], spare_)) continue;
      count_obstacles(shape_.switches, unit.groups.front());
      const auto colour = std::min_element(obstacles_.begin(), obstacles_.end());
      if (colour == obstacles_.end() || *colour >= least) continue;
      least = *colour;
      best = static_cast<Colour>(colour - obstacles_.begin());
      std::swap(best_shape_, shape_);
    }
    if (best != k_no_colour) settle(unit, best_shape_, best);
  }

  /// Plants the unit's new tree. Units whose trees it blocks have to find new ones.
  void settle(const Unit& unit, const TreeShape& shape, Colour colour) {
    uncoloured_.pop_back();
    for (const SwitchId at : shape.switches) {
      const TreeId tree = forest_.colours().tree_at(at, colour);
      if (tree == k_none) continue;
      const uint64_t until = turn_ + k_tenure + uncoloured_.size() + salt_ % k_tenure;
      tabus_[forest_.tree(tree).groups.front()].push_back({colour, until});
      uncolour(tree);
    }
    routing_.plant(shape, colour, unit.groups);
  }

  bool grow(const Unit& unit, SwitchId root, Colour colour) {
    const auto weight = static_cast<uint32_t>(unit.groups.size());
    if (weight > most_load_) return false;
    set_only(colours_, forest_.colours().words(), colour);
    return bottom_up_.build_guided(root, routing_.hops().row(root), unit.terminals, colours_, salt_, arcs_,
                                   shape_, most_load_ - weight);
  }

  /// Counts, for each colour below the spare one, the trees at these switches.
  void count_obstacles(std::span<const SwitchId> switches, UnitKey key) {
    ++counts_;
    counted_.resize(forest_.tree_slots(), 0);
    obstacles_.assign(spare_, 0);
    for (const SwitchId at : switches)
      for (Colour colour = 0; colour < spare_; ++colour)
        if (const TreeId tree = forest_.colours().tree_at(at, colour);
            tree != k_none && std::exchange(counted_[tree], counts_) != counts_)
          ++obstacles_[colour];
    arcs_ -= static_cast<int64_t>(switches.size()) * spare_ / k_colours_per_arc;
    const auto tabus = tabus_.find(key);
    if (tabus == tabus_.end()) return;
    std::erase_if(tabus->second, [&](const Tabu& tabu) { return tabu.until <= turn_; });
    for (const Tabu& tabu : tabus->second) obstacles_[tabu.colour] = k_out_of_question;
  }

  Routing& routing_;
  const Forest& forest_ = routing_.forest();
  const Colour spare_ = forest_.colours().opened() - 1;  // the last colour: it becomes empty
  const uint32_t most_load_;
  int64_t& arcs_;
  BottomUp bottom_up_{routing_.fabric(), forest_};
  uint64_t turn_ = 0, salt_ = 0;
  std::vector<std::vector<GroupId>> uncoloured_;
  std::map<UnitKey, Tree> before_;  // of every unit that has lost its tree
  std::map<UnitKey, std::vector<Tabu>> tabus_;
  // Kept between turns to avoid allocations.
  std::vector<SwitchId> roots_;
  std::vector<ColourWord> colours_;
  TreeShape shape_, best_shape_;
  std::vector<uint32_t> obstacles_;  // per colour: trees that block the unit
  std::vector<uint64_t> counted_;    // per tree: the count in which it was seen last
  uint64_t counts_ = 0;
  std::vector<Choice> choices_;
};

}  // namespace

void recolour(Routing& routing, uint32_t least) {
  const SearchLimits& limits = routing.options().effort == Effort::quick ? k_quick : k_thorough;
  if (routing.hops().diameter() > limits.diameter) return;
  const int64_t all_arcs = limits.arcs_per_group * static_cast<int64_t>(routing.groups().size());
  int64_t arcs = all_arcs;
  const uint32_t most_load = routing.forest().heaviest_load();
  while (routing.colours().opened() > least) {
    // If the first colour cannot be saved, this is found at half of the cost.
    const int64_t given = std::min({arcs, limits.arcs_per_colour, all_arcs / 2});
    int64_t left = given;
    if (!PartialColouring(routing, most_load, left).empty_last_colour()) return;
    routing.close_colour();
    arcs -= given - left;
  }
}

}  // namespace tutti::fabric
