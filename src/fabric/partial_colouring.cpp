#include "fabric/partial_colouring.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace tutti::fabric {

namespace {

// Number of least loaded roots that are tried; of colours in which a tree is grown around existing trees; and
// of trees that are grown over others.
constexpr size_t k_tried_roots = 16, k_tried_colours = 4, k_tried_trees = 3;
// Number of turns for which a unit must not reuse a colour that it had to leave: this many, plus one for each
// waiting unit, plus a random number up to this many.
constexpr uint64_t k_tenure = 10;
constexpr uint32_t k_out_of_question = UINT32_MAX;
// Cost of the other steps, in arcs.
constexpr int64_t k_colours_per_arc = 8, k_switches_per_arc = 4, k_hops_per_arc = 128;

}  // namespace

Router::State::PartialColouring::PartialColouring(State& state, uint32_t most_load, int64_t& budget)
    : state_(state), spare_(state.forest.colours().opened() - 1), most_load_(most_load), budget_(budget) {}

void Router::State::PartialColouring::uncolour(TreeId id) {
  Tree tree = state_.forest.fell(id);
  for (const GroupId group : tree.groups) state_.groups[group].tree = k_none;
  uncoloured_.push_back(tree.groups);
  const UnitKey key = tree.groups.front();
  before_.try_emplace(key, std::move(tree));
}

bool Router::State::PartialColouring::complete() {
  while (!uncoloured_.empty() && budget_ >= 0) place_one();
  if (uncoloured_.empty()) return true;
  put_back();
  return false;
}

void Router::State::PartialColouring::put_back() {
  for (const auto& [key, tree] : before_)
    if (const TreeId id = state_.groups[key].tree; id != k_none) state_.forest.fell(id);
  for (auto& [key, tree] : before_)
    state_.install_tree(std::move(tree.shape), tree.colour, std::move(tree.groups));
}

/// One turn for a waiting unit. If the unit finds no tree, it keeps waiting.
void Router::State::PartialColouring::place_one() {
  ++turn_;
  salt_ = base::mixed(state_.options.seed ^ ++state_.placed);
  std::swap(uncoloured_[salt_ % uncoloured_.size()], uncoloured_.back());
  const Unit unit = state_.unit_of(uncoloured_.back());
  state_.root_search.find(unit.terminals, state_.roots);
  state_.sort_by_load(state_.roots, k_tried_roots, salt_);
  const auto switches = static_cast<int64_t>(state_.hops.switch_count());
  budget_ -=
      switches / k_switches_per_arc + switches * static_cast<int64_t>(unit.terminals.size()) / k_hops_per_arc;
  if (!place_around_others(unit)) place_over_others(unit);
}

/// Chooses a colour with few trees at the members' switches: only these are removed, and the new tree grows
/// around the others.
bool Router::State::PartialColouring::place_around_others(const Unit& unit) {
  count_obstacles(unit.terminals, unit.groups.front());
  choices_.clear();
  for (Colour colour = 0; colour < spare_; ++colour)
    if (obstacles_[colour] != k_out_of_question)
      choices_.push_back({obstacles_[colour], base::mixed(salt_ ^ colour), colour});
  const size_t count = std::min(choices_.size(), k_tried_colours);
  std::partial_sort(choices_.begin(), choices_.begin() + static_cast<long>(count), choices_.end());
  for (size_t i = 0; i < count; ++i) {
    if (!grow_among_others(unit, choices_[i].colour)) continue;
    settle(unit, choices_[i].colour);
    return true;
  }
  return false;
}

bool Router::State::PartialColouring::grow_among_others(const Unit& unit, Colour colour) {
  std::vector<Tree> moved;
  for (const SwitchId at : unit.terminals)
    if (const TreeId tree = state_.forest.colours().tree_at(at, colour); tree != k_none)
      moved.push_back(state_.forest.fell(tree));
  const bool is_grown = std::any_of(state_.roots.begin(), state_.roots.end(),
                                    [&](SwitchId root) { return grow(unit, root, colour); });
  for (Tree& tree : moved) state_.install_tree(std::move(tree.shape), tree.colour, std::move(tree.groups));
  return is_grown;
}

/// Grows a tree regardless of others, and takes the colour in which it blocks the fewest trees.
bool Router::State::PartialColouring::place_over_others(const Unit& unit) {
  uint32_t least = k_out_of_question;
  Colour best = k_no_colour;
  for (size_t i = 0; i < std::min(state_.roots.size(), k_tried_trees); ++i) {
    if (!grow(unit, state_.roots[base::mixed(salt_ + i) % state_.roots.size()], spare_)) continue;
    count_obstacles(state_.shape.switches, unit.groups.front());
    const auto colour = std::min_element(obstacles_.begin(), obstacles_.end());
    if (colour == obstacles_.end() || *colour >= least) continue;
    least = *colour;
    best = static_cast<Colour>(colour - obstacles_.begin());
    std::swap(state_.best_shape, state_.shape);
  }
  if (best == k_no_colour) return false;
  std::swap(state_.best_shape, state_.shape);
  settle(unit, best);
  return true;
}

/// Plants the unit's new tree. Units whose trees it blocks have to find new ones.
void Router::State::PartialColouring::settle(const Unit& unit, Colour colour) {
  uncoloured_.pop_back();
  for (const SwitchId at : state_.shape.switches) {
    const TreeId tree = state_.forest.colours().tree_at(at, colour);
    if (tree == k_none) continue;
    const uint64_t until = turn_ + k_tenure + uncoloured_.size() + salt_ % k_tenure;
    tabus_[state_.forest.tree(tree).groups.front()].push_back({colour, until});
    uncolour(tree);
  }
  state_.install_tree(state_.shape, colour, unit.groups);
}

bool Router::State::PartialColouring::grow(const Unit& unit, SwitchId root, Colour colour) {
  const auto weight = static_cast<uint32_t>(unit.groups.size());
  if (weight > most_load_ || !state_.forest.colours().is_free(root, colour)) return false;
  state_.colours.assign(state_.forest.colours().words(), 0);
  state_.colours[colour / k_colours_per_word] = ColourWord{1} << (colour % k_colours_per_word);
  return state_.bottom_up.build_guided(root, state_.hops.row(root), unit.terminals, state_.colours, salt_,
                                       budget_, state_.shape, most_load_ - weight);
}

/// Counts, for each colour below the spare one, the trees at these switches.
void Router::State::PartialColouring::count_obstacles(std::span<const SwitchId> switches, UnitKey key) {
  ++counts_;
  counted_.resize(state_.forest.tree_slots(), 0);
  obstacles_.assign(spare_, 0);
  for (const SwitchId at : switches)
    for (Colour colour = 0; colour < spare_; ++colour)
      if (const TreeId tree = state_.forest.colours().tree_at(at, colour);
          tree != k_none && std::exchange(counted_[tree], counts_) != counts_)
        ++obstacles_[colour];
  budget_ -= static_cast<int64_t>(switches.size()) * spare_ / k_colours_per_arc;
  const auto tabus = tabus_.find(key);
  if (tabus == tabus_.end()) return;
  std::erase_if(tabus->second, [&](const Tabu& tabu) { return tabu.until <= turn_; });
  for (const Tabu& tabu : tabus->second) obstacles_[tabu.colour] = k_out_of_question;
}

}  // namespace tutti::fabric
