#include "fabric/root_search.hpp"

#include <algorithm>

namespace tutti::fabric {

Hops RootSearch::find(std::span<const SwitchId> terminals, std::vector<SwitchId>& roots) {
  roots.clear();
  bound_.assign(hops_.switch_count(), 0);
  bound_by(terminals.front());
  for (;;) {
    const Hops least = least_bound();
    if (least == k_unreachable) return k_unreachable;
    const auto best = static_cast<SwitchId>(std::find(bound_.begin(), bound_.end(), least) - bound_.begin());
    const SwitchId worst = farthest(best, terminals);
    if (hops_.hops(worst, best) == least) {
      collect(least, terminals, roots);
      return least;
    }
    bound_by(worst);
  }
}

/// Without std::min_element, which keeps a place and so looks at one switch at a time.
Hops RootSearch::least_bound() const {
  Hops least = k_unreachable;
  for (const Hops bound : bound_) least = std::min(least, bound);
  return least;
}

SwitchId RootSearch::farthest(SwitchId root, std::span<const SwitchId> terminals) const {
  const Hops* row = hops_.row(root);
  return *std::max_element(terminals.begin(), terminals.end(),
                           [&](SwitchId a, SwitchId b) { return row[a] < row[b]; });
}

void RootSearch::bound_by(SwitchId terminal) {
  const Hops* row = hops_.row(terminal);
  Hops* bound = bound_.data();
  for (size_t i = 0, end = bound_.size(); i < end; ++i) bound[i] = std::max(bound[i], row[i]);
}

/// Either looks at every terminal from every switch that the bound leaves, or sharpens the bound to the truth
/// by the rows of all terminals, whichever is less work.
void RootSearch::collect(Hops radius, std::span<const SwitchId> terminals, std::vector<SwitchId>& roots) {
  // A look costs a few cache misses where the table is large; a row is read from front to end.
  constexpr size_t k_bytes_per_look = 512;
  const auto left = static_cast<size_t>(std::count(bound_.begin(), bound_.end(), radius));
  const bool is_cheaper_by_rows = left > bound_.size() / k_bytes_per_look;
  if (is_cheaper_by_rows)
    for (const SwitchId terminal : terminals) bound_by(terminal);
  for (auto at = bound_.begin(); (at = std::find(at, bound_.end(), radius)) != bound_.end(); ++at) {
    const auto id = static_cast<SwitchId>(at - bound_.begin());
    const Hops* row = hops_.row(id);
    if (is_cheaper_by_rows ||
        std::all_of(terminals.begin(), terminals.end(), [&](SwitchId t) { return row[t] <= radius; }))
      roots.push_back(id);
  }
}

}  // namespace tutti::fabric
