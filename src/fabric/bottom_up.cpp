#include "fabric/bottom_up.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace tutti::fabric {

namespace {

// The arcs of a large fabric exceed the L1 cache, so they are prefetched this many switches ahead.
constexpr size_t k_ahead = 4;

}  // namespace

/// An arc to the next switch. Lower costs are better.
struct BottomUp::Step {
  uint64_t cost = UINT64_MAX;
  const Arc* arc = nullptr;
};

BottomUp::BottomUp(const Fabric& fabric, const Forest& forest)
    : fabric_(fabric),
      forest_(forest),
      mark_(fabric.switch_count(), 0),
      sharers_(fabric.switch_count(), 0),
      sharer_mark_(fabric.switch_count(), 0) {}

void BottomUp::start(SwitchId root, std::span<const SwitchId> terminals, TreeShape& shape) {
  ++stamp_;
  shape.root = root;
  shape.links.clear();
  shape.switches.assign(1, root);
  mark_[root] = stamp_;
  for (const SwitchId at : terminals) {
    if (at == root) continue;
    shape.switches.push_back(at);
  }
}

void BottomUp::build(SwitchId root, const Hops* row, std::span<const SwitchId> terminals, TreeShape& shape) {
  start(root, {}, shape);
  for (SwitchId at : terminals) {
    while (!is_in_tree(at)) {
      mark_[at] = stamp_;
      shape.switches.push_back(at);
      const Arc* best = nullptr;
      for (const Arc& arc : fabric_.arcs(at)) {
        if (row[arc.to] + 1 != row[at]) continue;
        if (best == nullptr || forest_.link_load(arc.link) < forest_.link_load(best->link)) best = &arc;
      }
      // Some neighbour is a hop nearer.  NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
      shape.links.push_back(best->link);
      at = best->to;
    }
  }
}

bool BottomUp::build_guided(SwitchId root, const Hops* row, std::span<const SwitchId> terminals,
                            std::vector<ColourWord>& colours, uint64_t salt, int64_t& budget,
                            TreeShape& shape, uint32_t most_load) {
  intersect(colours, forest_.colours().free_at(root));
  if (lowest_colour(colours) == k_no_colour) return false;
  start(root, terminals, shape);
  most_load_ = most_load;
  Hops radius = 0;
  for (const SwitchId at : terminals) radius = std::max(radius, row[at]);
  if (levels_.size() <= radius) levels_.resize(radius + size_t{1});
  for (auto& level : levels_) level.clear();
  for (const SwitchId at : terminals) {
    mark_[at] = stamp_;
    levels_[row[at]].push_back(at);
  }
  for (Hops hops = radius; hops > 0; --hops) {
    auto& level = levels_[hops];
    find_ways(level, row, hops);
    for (size_t i = 0; i < level.size(); ++i) {
      const Step step = best_step(ways_of(i), colours, salt);
      budget -= static_cast<int64_t>(fabric_.arcs(level[i]).size());
      if (step.arc == nullptr || budget < 0) return false;
      shape.links.push_back(step.arc->link);
      const SwitchId to = step.arc->to;
      if (is_in_tree(to)) continue;
      mark_[to] = stamp_;
      shape.switches.push_back(to);
      levels_[hops - 1].push_back(to);
      intersect(colours, forest_.colours().free_at(to));
    }
  }
  return true;
}

/// Collects the arcs that lead nearer from each switch of a level, and counts for each nearer switch how many
/// switches of the level could use it.
void BottomUp::find_ways(const std::vector<SwitchId>& level, const Hops* row, Hops hops) {
  ++share_stamp_;
  ways_.clear();
  first_way_.assign(1, 0);
  for (size_t i = 0; i < level.size(); ++i) {
    if (i + k_ahead < level.size()) __builtin_prefetch(fabric_.ends(level[i + k_ahead]).data());
    const auto arcs = fabric_.arcs(level[i]);
    const auto ends = fabric_.ends(level[i]);
    for (size_t arc = 0; arc < ends.size(); ++arc) {
      const SwitchId to = ends[arc];
      if (row[to] + 1 != hops || forest_.link_load(arcs[arc].link) > most_load_) continue;
      ways_.push_back(&arcs[arc]);
      if (sharer_mark_[to] != share_stamp_) {
        sharer_mark_[to] = share_stamp_;
        sharers_[to] = 0;
      }
      ++sharers_[to];
    }
    first_way_.push_back(ways_.size());
  }
}

BottomUp::Step BottomUp::best_step(std::span<const Arc* const> ways, std::span<const ColourWord> colours,
                                   uint64_t salt) const {
  // Cost fields from the highest bits down: a new switch; fewer sharers; load of the link; load of the
  // switch; random.
  constexpr int k_new_shift = 62, k_sharers_shift = 50, k_load_shift = 34, k_switch_shift = 12;
  constexpr uint64_t k_most_sharers = 0xFFF, k_most_load = 0xFFFF, k_most_switch_load = 0x3FFFFF,
                     k_chance = 0xFFF;
  Step best;
  for (const Arc* const way : ways) {
    const Arc& arc = *way;
    uint64_t cost = std::min<uint64_t>(forest_.link_load(arc.link), k_most_load) << k_load_shift;
    if (!is_in_tree(arc.to)) {
      cost |= uint64_t{1} << k_new_shift;
      cost |= (k_most_sharers - std::min<uint64_t>(sharers_[arc.to], k_most_sharers)) << k_sharers_shift;
      cost |= std::min<uint64_t>(forest_.switch_load(arc.to), k_most_switch_load) << k_switch_shift;
    }
    if (cost >= best.cost) continue;
    cost |= base::mixed(salt ^ arc.link) & k_chance;
    if (cost >= best.cost) continue;
    if (!is_in_tree(arc.to) && !has_common(colours, forest_.colours().free_at(arc.to))) continue;
    best = {cost, way};
  }
  return best;
}

}  // namespace tutti::fabric
