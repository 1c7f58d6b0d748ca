#include "fabric/placement.hpp"

namespace tutti::fabric {

namespace {

/// Number of groups between two calls of `progress`: a group takes up to two milliseconds, so a stop takes effect
/// within about half a second.
constexpr uint32_t k_progress_interval = 256;

}  // namespace

void UnitPlacement::place(const Unit& unit) {
  place_all({&unit, 1}, {}, Aim::all_placed);
}

Outcome UnitPlacement::place_all(std::span<const Unit> units, const RoutingProgress& progress, Aim aim) {
  uint32_t done = 0, reported = 0;
  const auto goes_on = [&](const Unit& unit) {
    done += static_cast<uint32_t>(unit.groups.size());
    if (!progress || done < reported + k_progress_interval) return true;
    reported = done;
    return progress(done);
  };
  std::vector<const Unit*> waiting;  // a merged tree is large and leaves little room for others
  for (const Unit& unit : units) {
    routing_.next_turn();
    if (routing_.options().method == Method::paper) {
      if (!paper_.place(unit)) merging_.merge(unit);
    } else if (!guided_.place(unit, aim == Aim::lighter_cables)) {
      if (aim != Aim::all_placed) return Outcome::out_of_colours;
      waiting.push_back(&unit);
      continue;
    }
    if (!goes_on(unit)) return Outcome::stopped;
  }
  for (const Unit* unit : waiting) {
    merging_.merge_guided(*unit);  // without another attempt at a free colour: there was none before
    if (!goes_on(*unit)) return Outcome::stopped;
  }
  return Outcome::done;
}

}  // namespace tutti::fabric
