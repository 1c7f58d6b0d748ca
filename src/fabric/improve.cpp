// Improvements once all groups of a set have their own tree: lower load on cables, and fewer colours.

#include <algorithm>
#include <utility>

#include "fabric/partial_colouring.hpp"

namespace tutti::fabric {

namespace {

/// Height of trees that cross the top of a three-level fat tree. With higher trees, planning a second time
/// takes too long for its gain.
constexpr Hops k_height_in_fat_trees = 2;
/// Below this, it is rare that the heaviest cable can carry one group less.
constexpr uint32_t k_much_load = 5;

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

}  // namespace

/// False when stopped.
bool Router::State::improve(std::span<const Unit> units, const Progress& progress) {
  const uint32_t least = most_at_a_switch(units);
  balance(Effort::quick, Sharing::none);
  if (greatest_height <= k_height_in_fat_trees && heaviest_load() >= k_much_load &&
      reduce_cable_load(units, least, progress) == Outcome::stopped)
    return false;
  recolour(least);
  if (options.effort == Effort::quick) return true;
  // Done last, because trees on longer paths leave less room for others.
  balance(Effort::thorough, Sharing::none);
  recolour(least);
  return true;
}

/// Maximum number of units with members at one switch: each of them needs a separate colour there.
uint32_t Router::State::most_at_a_switch(std::span<const Unit> units) const {
  std::vector<uint32_t> count(fabric.switch_count(), 0);
  uint32_t most = 0;
  for (const Unit& unit : units)
    for (const SwitchId at : unit.terminals) most = std::max(most, ++count[at]);
  return most;
}

/// Routes everything again with more colours, to lower the load on cables. The result is kept if the heaviest
/// cable carries less and the final number of colours is no more than before, or than is allowed.
Router::State::Outcome Router::State::reduce_cable_load(std::span<const Unit> units, uint32_t least,
                                                        const Progress& progress) {
  const uint32_t load = heaviest_load();
  const uint32_t most = options.colour_limit > 0 ? options.colour_limit : forest.colours().opened();
  Plan before = plan();
  reset();
  reduces_cable_load = true;
  const Outcome outcome = route_units(units, progress, false);
  reduces_cable_load = false;
  if (outcome == Outcome::done) {
    balance(Effort::quick, Sharing::none);
    const bool is_lighter = heaviest_load() < load;
    if (is_lighter && forest.colours().opened() > most) recolour(least);
    if (is_lighter && forest.colours().opened() <= most) return outcome;
  }
  restore(std::move(before));
  return outcome;
}

/// Removes colours one by one, as long as the trees of the last colour fit into the other colours and the
/// heaviest cable carries no more. `least`: lower bound for the number of colours.
void Router::State::recolour(uint32_t least) {
  const SearchLimits& limits = options.effort == Effort::quick ? k_quick : k_thorough;
  if (hops.diameter() > limits.diameter) return;
  const int64_t all_arcs = limits.arcs_per_group * static_cast<int64_t>(groups.size());
  int64_t arcs = all_arcs;
  const uint32_t most_load = heaviest_load();
  while (forest.colours().opened() > least) {
    // If the first colour cannot be saved, this is found at half of the cost.
    const int64_t given = std::min({arcs, limits.arcs_per_colour, all_arcs / 2});
    int64_t left = given;
    if (!empty_last_colour(most_load, left)) return;
    forest.close_colour();
    arcs -= given - left;
  }
}

bool Router::State::empty_last_colour(uint32_t most_load, int64_t& budget) {
  const Colour last = forest.colours().opened() - 1;
  PartialColouring others(*this, most_load, budget);
  for (TreeId id = 0; id < forest.tree_slots(); ++id)
    if (const Tree& tree = forest.tree(id); !tree.groups.empty() && tree.colour == last) others.uncolour(id);
  return others.complete();
}

}  // namespace tutti::fabric
