#include "fabric/pairing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::fabric {

namespace {

/// Units that are looked at to find a partner, each as often as it shares a switch, and at one switch at
/// least: more make little difference, since units stand in an order in which neighbours are often alike.
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
    std::vector<uint32_t> units;  // with members there
    size_t first = 0;             // those before it are settled
  };

  /// Of those that are not settled yet, the first of equals; the unit itself where none is like it.
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
  std::vector<uint8_t> is_settled_;      // per unit: it has a partner, or none is like it
  std::vector<uint32_t> common_, seen_;  // per unit: switches that both have; those with any
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
