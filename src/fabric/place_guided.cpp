// The guided method: like FBTC it builds from the members up, like FCTB it knows the free colours, at the
// cost of FBTC. It has three steps, each used only if the previous one found nothing:
//
//   1. grow trees from the least loaded roots over switches that keep a colour in common with the tree so
//      far;
//   2. search G_colour of all colours at once, on paths of any shape within the least height;
//   3. open a colour, and choose the root whose tree loads the heaviest link least.
//
// Step 1 takes the tree whose heaviest link has the least load, then the lowest colour: low colours fill up
// first, and few are opened. If cables are spared, a tree that would raise the maximum load is rejected, and
// step 2 is skipped.

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

namespace {

// Number of roots that are tried, and of complete trees to choose from.
constexpr size_t k_most_roots = 48;
constexpr int k_enough_trees = 4;
// Arcs inspected in step 1 in total, and before the first complete tree is taken; and in step 3 before the
// best tree so far is taken.
constexpr int64_t k_growth_budget = 16'000;
constexpr int64_t k_choice_budget = 6'000;
constexpr int64_t k_opening_budget = 10'000;
// Words of colours moved in step 2, and roots that are searched from; more if the next step is to merge.
constexpr int64_t k_search_budget = 400'000;
constexpr int64_t k_long_search_budget = 2'000'000;
constexpr size_t k_searched_roots = 2;
constexpr size_t k_most_searched_roots = 4;
// Where paths are long, fabrics are large and a search visits the whole fabric: it uses one root and 64
// colours, and runs only as often as these terms allow, in arcs.
constexpr Hops k_low_height = 6;
constexpr SearchBudget::Terms k_high_terms{.most_overdrawn = 25'000, .granted = 6'000};
// When all colours are used up, most searches fail: these terms, in words of colours, limit them.
constexpr SearchBudget::Terms k_vain_terms{.most_overdrawn = 50'000'000, .granted = 5'000};
// With more words of colours, clearing the sets takes longer than the rest of the search.
constexpr uint32_t k_searched_words = 8;

}  // namespace

bool Router::State::place_guided(const Unit& unit) {
  const uint64_t salt = base::mixed(options.seed ^ placed);
  high_searches.grant(k_high_terms);
  vain_searches.grant(k_vain_terms);
  const Hops radius = root_search.find(unit.terminals, roots);
  greatest_height = std::max(greatest_height, radius);
  forest.common_free(unit.terminals, member_colours);
  if (lowest_colour(member_colours) != k_no_colour) {
    std::vector<SwitchId> likely;
    for (const SwitchId root : roots) {
      const auto free = forest.colours().free_at(root);
      bool is_free = false;
      for (size_t word = 0; word < member_colours.size() && !is_free; ++word)
        is_free = (member_colours[word] & free[word]) != 0;
      if (is_free) likely.push_back(root);
    }
    sort_by_load(likely, k_most_roots, salt);
    if (guided_in_open_colours(unit, likely, salt)) return true;
    if (!reduces_cable_load && guided_by_searches(unit, likely, radius, salt)) return true;
  }
  sort_by_load(roots, k_enough_trees, salt);
  return guided_in_new_colour(unit, roots, salt);
}

/// If a colour can still be opened, a long search is not worth its time. If the next step is to merge, it is,
/// and so are trees that are a hop or two higher than necessary.
bool Router::State::guided_by_searches(const Unit& unit, std::span<const SwitchId> likely, Hops radius,
                                       uint64_t salt) {
  const bool is_low = radius <= k_low_height, is_last = is_low && forest.colours().is_full();
  const size_t most_roots = is_last ? k_most_searched_roots : is_low ? k_searched_roots : 1;
  const Hops highest = static_cast<Hops>(radius + (is_last ? k_most_extra_hops : 0u));
  for (Hops height = radius; height <= highest; ++height)
    if (guided_by_search(unit, likely.first(std::min(likely.size(), most_roots)), height, salt)) return true;
  return false;
}

uint32_t Router::State::load_after(const TreeShape& built, uint32_t count) const {
  uint32_t most = 0;
  for (const LinkId link : built.links) most = std::max(most, forest.link_load(link));
  return most + count;
}

/// A sequential copy streams the row from memory; lookups by switch would miss the cache each time.
const Hops* Router::State::row_at_hand(SwitchId root) {
  hops_to_root.assign(hops.row(root), hops.row(root) + hops.switch_count());
  return hops_to_root.data();
}

bool Router::State::guided_in_open_colours(const Unit& unit, std::span<const SwitchId> candidates,
                                           uint64_t salt) {
  int64_t budget = k_growth_budget;
  int found = 0;
  std::pair best{UINT32_MAX, k_no_colour};
  for (const SwitchId root : candidates) {
    colours = member_colours;
    const auto free = forest.colours().free_at(root);
    for (size_t word = 0; word < colours.size(); ++word) colours[word] &= free[word];
    if (!bottom_up.build_guided(root, row_at_hand(root), unit.terminals, colours, salt, budget, shape)) {
      if (budget < 0) break;
      continue;
    }
    const std::pair candidate{load_after(shape, static_cast<uint32_t>(unit.groups.size())),
                              lowest_colour(colours)};
    if (candidate < best) {
      best = candidate;
      std::swap(best_shape, shape);
    }
    if (++found == k_enough_trees || budget < k_growth_budget - k_choice_budget) break;
  }
  if (found == 0 || (reduces_cable_load && best.first > heaviest_so_far)) return false;
  ++counts.fbtc;
  install_tree(best_shape, best.second, unit.groups);
  return true;
}

bool Router::State::guided_by_search(const Unit& unit, std::span<const SwitchId> candidates, Hops height,
                                     uint64_t salt) {
  if (forest.colours().words() > k_searched_words) return false;
  const bool is_high = height > k_low_height, is_long = !is_high && forest.colours().is_full();
  if (is_high && !high_searches.allows_search(k_high_terms)) return false;
  if (is_long && !vain_searches.allows_search(k_vain_terms)) return false;
  int64_t budget = is_long ? k_long_search_budget : k_search_budget;
  for (const SwitchId root : candidates) {
    colours = member_colours;
    const bool is_found = is_high
                              ? colour_search.reach_in_one_word(root, height, unit.terminals, colours, budget)
                              : colour_search.reach(root, height, unit.terminals, colours, budget);
    if (is_high) high_searches.spend(k_search_budget - budget);
    if (!is_found) continue;
    const Colour colour = lowest_colour(colours);
    const Hops* row = colour_search.hops_within(root, colour);
    std::fill(colours.begin(), colours.end(), 0);
    colours[colour / k_colours_per_word] = ColourWord{1} << (colour % k_colours_per_word);
    int64_t build_budget = INT64_MAX;
    if (!bottom_up.build_guided(root, row, unit.terminals, colours, salt, build_budget, shape)) continue;
    trim_root(fabric, unit.terminals, shape);
    ++counts.fctb;
    install_tree(shape, colour, unit.groups);
    return true;
  }
  if (is_long) vain_searches.spend(k_long_search_budget - budget);
  return false;
}

bool Router::State::guided_in_new_colour(const Unit& unit, std::span<const SwitchId> candidates,
                                         uint64_t salt) {
  if (forest.colours().is_full()) return false;
  const Colour colour = forest.open_colour();
  ++counts.opened;
  std::pair best{UINT32_MAX, SIZE_MAX};
  constexpr int64_t k_no_limit = INT64_MAX;
  int64_t budget = k_no_limit;
  for (const SwitchId root : candidates) {
    if (budget < k_no_limit - k_opening_budget) break;
    colours.assign(forest.colours().words(), 0);
    colours[colour / k_colours_per_word] = ColourWord{1} << (colour % k_colours_per_word);
    bottom_up.build_guided(root, row_at_hand(root), unit.terminals, colours, salt, budget, shape);
    const std::pair candidate{load_after(shape, static_cast<uint32_t>(unit.groups.size())),
                              shape.links.size()};
    if (candidate >= best) continue;
    best = candidate;
    std::swap(best_shape, shape);
  }
  heaviest_so_far = std::max(heaviest_so_far, best.first);
  ++counts.fbtc;
  install_tree(best_shape, colour, unit.groups);
  return true;
}

}  // namespace tutti::fabric
