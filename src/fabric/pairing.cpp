// Pairs of similar groups share a tree if there are fewer colours than trees. The common tree of two similar
// groups has only few switches more than the tree of either. (Paper 004, section 3.3, merges only when a
// group finds no colour. The merged trees then block the groups that follow.)

#include <algorithm>
#include <iterator>
#include <utility>

#include "fabric/batch.hpp"

namespace tutti::fabric {

namespace {

/// Limit for the number of units inspected to find a partner, where a unit counts once per shared switch; and
/// a minimum per switch. More make little difference, since adjacent units in the order are often similar.
constexpr size_t k_most_looked_at = 16'384, k_least_at_a_switch = 16;

class Pairing {
 public:
  Pairing(std::span<const Unit> units, uint32_t switch_count, double least_likeness)
      : units_(units),
        least_likeness_(least_likeness),
        at_(switch_count),
        is_settled_(units.size(), 0),
        common_(units.size(), 0) {
    for (uint32_t unit = 0; unit < units.size(); ++unit)
      for (const SwitchId at : units[unit].terminals) at_[at].units.push_back(unit);
  }

  std::vector<std::pair<uint32_t, uint32_t>> pairs() {
    std::vector<std::pair<uint32_t, uint32_t>> found;
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (is_settled_[unit] != 0) continue;
      is_settled_[unit] = 1;
      const uint32_t other = most_alike(unit);
      if (other == unit) continue;
      is_settled_[other] = 1;
      found.emplace_back(unit, other);
    }
    return found;
  }

 private:
  struct Place {
    std::vector<uint32_t> units;  // with members at this switch
    size_t first = 0;             // the units before it are settled
  };

  /// The most similar unsettled unit, the first among equals; the unit itself if no unit is similar.
  uint32_t most_alike(uint32_t unit) {
    seen_.clear();
    const auto& terminals = units_[unit].terminals;
    const size_t most =
        std::max(k_most_looked_at / std::max<size_t>(terminals.size(), 1), k_least_at_a_switch);
    for (const SwitchId at : terminals) count_common(at_[at], most);
    std::pair best{least_likeness_, unit};
    for (const uint32_t other : seen_) {
      const auto common = static_cast<double>(std::exchange(common_[other], 0));
      const auto both = static_cast<double>(terminals.size() + units_[other].terminals.size());
      const double likeness = common / (both - common);
      if (likeness > best.first || (likeness == best.first && other < best.second)) best = {likeness, other};
    }
    return best.second;
  }

  void count_common(Place& here, size_t most) {
    while (here.first < here.units.size() && is_settled_[here.units[here.first]] != 0) ++here.first;
    const size_t end = std::min(here.units.size(), here.first + most);
    for (size_t i = here.first; i < end; ++i) {
      const uint32_t other = here.units[i];
      if (is_settled_[other] == 0 && common_[other]++ == 0) seen_.push_back(other);
    }
  }

  const std::span<const Unit> units_;
  const double least_likeness_;
  std::vector<Place> at_;                // per switch
  std::vector<uint8_t> is_settled_;      // per unit: it has a partner, or no unit is similar
  std::vector<uint32_t> common_, seen_;  // per unit: number of common switches; units with any
};

void add(Unit& unit, const Unit& other) {
  unit.groups.insert(unit.groups.end(), other.groups.begin(), other.groups.end());
  std::vector<SwitchId> terminals;
  std::ranges::set_union(unit.terminals, other.terminals, std::back_inserter(terminals));
  unit.terminals = std::move(terminals);
}

}  // namespace

std::vector<Unit> joined_in_pairs(std::span<const Unit> units, uint32_t switch_count, double least_likeness) {
  std::vector<Unit> joined(units.begin(), units.end());
  for (const auto& [unit, other] : Pairing(units, switch_count, least_likeness).pairs()) {
    add(joined[unit], units[other]);
    joined[other].groups.clear();
  }
  std::erase_if(joined, [](const Unit& unit) { return unit.groups.empty(); });
  return joined;
}

}  // namespace tutti::fabric
