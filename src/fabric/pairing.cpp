#include "fabric/pairing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::fabric {

namespace {

// Units that are looked at to find a partner, each as often as it shares a switch: more make little
// difference.
constexpr size_t k_most_looked_at = 8'192;

/// Where less than this is common to two units of those switches that either has, their tree is much larger
/// than theirs, and it is better to merge few units than many.
constexpr double k_least_likeness = 0.3;

class Pairing {
 public:
  Pairing(std::span<const Unit> units, uint32_t switch_count)
      : units_(units), single_at_(switch_count), is_paired_(units.size(), 0), common_(units.size(), 0) {
    for (uint32_t unit = 0; unit < units.size(); ++unit)
      for (const SwitchId at : units[unit].terminals) single_at_[at].push_back(unit);
  }

  std::vector<std::pair<uint32_t, uint32_t>> pairs() {
    std::vector<std::pair<uint32_t, uint32_t>> found;
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (is_paired_[unit] != 0) continue;
      is_paired_[unit] = 1;
      const uint32_t other = most_alike(unit);
      if (other == unit) continue;
      is_paired_[other] = 1;
      found.emplace_back(unit, other);
    }
    return found;
  }

 private:
  /// Of those that are not in pairs yet, the first of equals; the unit itself where none is like it.
  uint32_t most_alike(uint32_t unit) {
    seen_.clear();
    size_t looked_at = 0;
    for (const SwitchId at : units_[unit].terminals) {
      auto& here = single_at_[at];
      std::erase_if(here, [&](uint32_t other) { return is_paired_[other] != 0; });
      for (const uint32_t other : here)
        if (common_[other]++ == 0) seen_.push_back(other);
      if ((looked_at += here.size()) >= k_most_looked_at) break;
    }
    std::pair best{k_least_likeness, unit};
    for (const uint32_t other : seen_) {
      const auto common = static_cast<double>(std::exchange(common_[other], 0));
      const auto both = static_cast<double>(units_[unit].terminals.size() + units_[other].terminals.size());
      const double likeness = common / (both - common);
      if (likeness > best.first || (likeness == best.first && other < best.second)) best = {likeness, other};
    }
    return best.second;
  }

  const std::span<const Unit> units_;
  std::vector<std::vector<uint32_t>> single_at_;  // per switch: units with members there, not yet in pairs
  std::vector<uint8_t> is_paired_;
  std::vector<uint32_t> common_, seen_;  // per unit: switches that both have; those with any
};

void add(Unit& unit, const Unit& other) {
  unit.groups.insert(unit.groups.end(), other.groups.begin(), other.groups.end());
  std::vector<SwitchId> terminals;
  std::ranges::set_union(unit.terminals, other.terminals, std::back_inserter(terminals));
  unit.terminals = std::move(terminals);
}

}  // namespace

std::vector<Unit> joined_in_pairs(std::span<const Unit> units, uint32_t switch_count) {
  std::vector<Unit> joined(units.begin(), units.end());
  for (const auto& [unit, other] : Pairing(units, switch_count).pairs()) {
    add(joined[unit], units[other]);
    joined[other].groups.clear();
  }
  std::erase_if(joined, [](const Unit& unit) { return unit.groups.empty(); });
  return joined;
}

}  // namespace tutti::fabric
