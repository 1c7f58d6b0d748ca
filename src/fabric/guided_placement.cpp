// The guided method has three steps, each used only if the previous one found nothing:
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
#include <iterator>
#include <utility>

#include "fabric/placement.hpp"

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

bool GuidedPlacement::place(const Unit& unit, bool spares_cables) {
  salt_ = routing_.salt();
  past_.high_searches.grant(k_high_terms);
  past_.vain_searches.grant(k_vain_terms);
  const Hops radius = routing_.find_roots(unit.terminals, roots_);
  past_.greatest_height = std::max(past_.greatest_height, radius);
  routing_.forest().common_free(unit.terminals, member_colours_);
  if (lowest_colour(member_colours_) != k_no_colour) {
    std::vector<SwitchId> likely;
    std::ranges::copy_if(roots_, std::back_inserter(likely),
                         [&](SwitchId root) { return has_common(member_colours_, sets_.free_at(root)); });
    routing_.sort_by_load(likely, k_most_roots, salt_);
    if (grow_in_open_colours(unit, likely, spares_cables)) return true;
    if (!spares_cables && search(unit, likely, radius)) return true;
  }
  routing_.sort_by_load(roots_, k_enough_trees, salt_);
  return grow_in_new_colour(unit, roots_);
}

/// Grows shape_ in a colour of colours_, and removes the colours that are not free in it.
bool GuidedPlacement::grow(const Unit& unit, SwitchId root, int64_t& budget) {
  // A sequential copy streams the row from memory; lookups by switch would miss the cache each time.
  const HopTable& hops = routing_.hops();
  hops_to_root_.assign(hops.row(root), hops.row(root) + hops.switch_count());
  return bottom_up_.build_guided(root, hops_to_root_.data(), unit.terminals, colours_, salt_, budget, shape_);
}

/// The load of the heaviest link of shape_ if the unit takes it.
uint32_t GuidedPlacement::load_after(const Unit& unit) const {
  uint32_t most = 0;
  for (const LinkId link : shape_.links) most = std::max(most, routing_.forest().link_load(link));
  return most + static_cast<uint32_t>(unit.groups.size());
}

bool GuidedPlacement::grow_in_open_colours(const Unit& unit, std::span<const SwitchId> roots,
                                           bool spares_cables) {
  int64_t budget = k_growth_budget;
  int found = 0;
  std::pair best{UINT32_MAX, k_no_colour};
  for (const SwitchId root : roots) {
    colours_ = member_colours_;
    if (!grow(unit, root, budget)) {
      if (budget < 0) break;
      continue;
    }
    const std::pair candidate{load_after(unit), lowest_colour(colours_)};
    if (candidate < best) {
      best = candidate;
      std::swap(best_shape_, shape_);
    }
    if (++found == k_enough_trees || budget < k_growth_budget - k_choice_budget) break;
  }
  if (found == 0 || (spares_cables && best.first > past_.heaviest_load)) return false;
  ++routing_.counts().fbtc;
  routing_.plant(best_shape_, best.second, unit.groups);
  return true;
}

/// If a colour can still be opened, a long search is not worth its time. If the next step is to merge, it is,
/// and so are trees that are a hop or two higher than necessary.
bool GuidedPlacement::search(const Unit& unit, std::span<const SwitchId> roots, Hops radius) {
  const bool is_low = radius <= k_low_height, is_last = is_low && sets_.is_full();
  const size_t most_roots = is_last ? k_most_searched_roots : is_low ? k_searched_roots : 1;
  const auto highest = static_cast<Hops>(radius + (is_last ? k_most_extra_hops : 0u));
  for (Hops height = radius; height <= highest; ++height)
    if (search_within(unit, roots.first(std::min(roots.size(), most_roots)), height)) return true;
  return false;
}

bool GuidedPlacement::search_within(const Unit& unit, std::span<const SwitchId> roots, Hops height) {
  if (sets_.words() > k_searched_words) return false;
  const bool is_high = height > k_low_height, is_long = !is_high && sets_.is_full();
  if (is_high && !past_.high_searches.allows_search(k_high_terms)) return false;
  if (is_long && !past_.vain_searches.allows_search(k_vain_terms)) return false;
  int64_t budget = is_long ? k_long_search_budget : k_search_budget;
  for (const SwitchId root : roots) {
    colours_ = member_colours_;
    const bool is_found =
        is_high ? colour_search_.reach_in_one_word(root, height, unit.terminals, colours_, budget)
                : colour_search_.reach(root, height, unit.terminals, colours_, budget);
    if (is_high) past_.high_searches.spend(k_search_budget - budget);
    if (!is_found) continue;
    const Colour colour = lowest_colour(colours_);
    const Hops* row = colour_search_.hops_within(root, colour);
    set_only(colours_, sets_.words(), colour);
    int64_t no_limit = INT64_MAX;
    if (!bottom_up_.build_guided(root, row, unit.terminals, colours_, salt_, no_limit, shape_)) continue;
    trim_root(routing_.fabric(), unit.terminals, shape_);
    ++routing_.counts().fctb;
    routing_.plant(shape_, colour, unit.groups);
    return true;
  }
  if (is_long) past_.vain_searches.spend(k_long_search_budget - budget);
  return false;
}

bool GuidedPlacement::grow_in_new_colour(const Unit& unit, std::span<const SwitchId> roots) {
  if (sets_.is_full()) return false;
  const Colour colour = routing_.open_colour();
  ++routing_.counts().opened;
  std::pair best{UINT32_MAX, SIZE_MAX};
  constexpr int64_t k_no_limit = INT64_MAX;
  int64_t budget = k_no_limit;
  for (const SwitchId root : roots) {
    if (budget < k_no_limit - k_opening_budget) break;
    set_only(colours_, sets_.words(), colour);
    grow(unit, root, budget);
    const std::pair candidate{load_after(unit), shape_.links.size()};
    if (candidate >= best) continue;
    best = candidate;
    std::swap(best_shape_, shape_);
  }
  past_.heaviest_load = std::max(past_.heaviest_load, best.first);
  ++routing_.counts().fbtc;
  routing_.plant(best_shape_, colour, unit.groups);
  return true;
}

}  // namespace tutti::fabric
