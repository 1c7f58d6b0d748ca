#include "fabric/batch.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tutti::fabric {

namespace {

/// Largest number of groups joined in bulk before the rest is merged one by one. It doubles with each attempt, and
/// each attempt routes everything again: this allows six.
constexpr uint32_t k_most_together = 64;
/// Another attempt is made if it has at most this share of the units: a smaller share if there is an
/// alternative.
constexpr double k_much_fewer = 0.75, k_fewer = 0.95;
/// Two units are joined only if the common switches are at least this share of the switches of both.
/// Otherwise their common tree is much larger than each of theirs.
constexpr double k_alike = 0.3;

/// Groups of exactly the same hosts, each set in ascending order, sets in the order of their first group.
/// Joining them is free: no host gets additional packets.
std::vector<std::vector<GroupId>> equal_groups(const GroupSet& groups) {
  std::unordered_map<std::string_view, size_t> set_of;  // by the bytes of the members
  std::vector<std::vector<GroupId>> sets;
  for (GroupId id = 0; id < groups.size(); ++id) {
    const auto members = groups.members(id);
    const std::string_view key(reinterpret_cast<const char*>(members.data()), members.size_bytes());
    const auto [entry, is_new] = set_of.try_emplace(key, sets.size());
    if (is_new) sets.emplace_back();
    sets[entry->second].push_back(id);
  }
  return sets;
}

/// Joins units with members at the same switches, at most `most` of them: one tree serves them all, and only
/// the cables of hosts carry more packets.
std::vector<Unit> of_equal_switches(std::vector<Unit> units, uint32_t most) {
  std::ranges::stable_sort(units, {}, &Unit::terminals);
  std::vector<Unit> joined;
  uint32_t together = most;
  for (Unit& unit : units) {
    if (together < most && joined.back().terminals == unit.terminals) {
      joined.back().groups.insert(joined.back().groups.end(), unit.groups.begin(), unit.groups.end());
      ++together;
    } else {
      joined.push_back(std::move(unit));
      together = 1;
    }
  }
  return joined;
}

/// Height of trees that cross the top of a three-level fat tree. With higher trees, planning a second time
/// takes too long for its gain.
constexpr Hops k_height_in_fat_trees = 2;
/// Below this, it is rare that the heaviest cable can carry one group less.
constexpr uint32_t k_much_load = 5;

/// First attempt without sharing, as long as there are free colours. Further attempts route everything again:
/// with groups of equal hosts joined, then with groups of equal switches joined (two of them, four, and so
/// on), and, if too few are equal, with similar ones joined. The rest has to be merged one by one, or joined
/// without being similar.
class BatchPlanner {
 public:
  BatchPlanner(Routing& routing, UnitPlacement& placement, const GroupSet& set,
               const RoutingProgress& progress)
      : routing_(routing), placement_(placement), set_(set), progress_(progress) {
    for (GroupId id = 0; id < set.size(); ++id) units_.push_back(routing.unit_of({id}));
  }

  bool route_in_order() { return placement_.place_all(units_, progress_, Aim::all_placed) == Outcome::done; }

  bool route_together() {
    attempt(Aim::own_trees);
    if (outcome_ == Outcome::done) return improve();
    join_equal_hosts();
    join_equal_switches();
    join_in_pairs(k_alike, k_much_fewer);
    if (outcome_ == Outcome::out_of_colours) return merge_or_join();
    if (outcome_ == Outcome::done) balance(routing_, effort(), Sharing::of_alike);
    return outcome_ == Outcome::done;
  }

 private:
  Effort effort() const { return routing_.options().effort; }
  uint32_t heaviest_load() const { return routing_.forest().heaviest_load(); }

  void restore(Routing::Trees trees) {
    routing_.restore(std::move(trees));
    placement_.reset();
  }

  void attempt(Aim aim) {
    // Large trees have the fewest colours to choose from; small ones fit into the remaining gaps.
    std::ranges::stable_sort(units_, std::greater{}, [](const Unit& unit) { return unit.terminals.size(); });
    if (aim != Aim::all_placed && most_at_a_switch() > routing_.colours().limit()) return;
    routing_.reset();
    placement_.reset();
    outcome_ = placement_.place_all(units_, progress_, aim);
  }

  /// Maximum number of units with members at one switch: each of them needs a separate colour there.
  uint32_t most_at_a_switch() const {
    std::vector<uint32_t> count(routing_.fabric().switch_count(), 0);
    uint32_t most = 0;
    for (const Unit& unit : units_)
      for (const SwitchId at : unit.terminals) most = std::max(most, ++count[at]);
    return most;
  }

  /// Lowers the load on cables, and saves colours, when each unit has its own tree. False when stopped.
  bool improve() {
    const uint32_t least = most_at_a_switch();
    balance(routing_, Effort::quick, Sharing::none);
    if (placement_.greatest_height() <= k_height_in_fat_trees && heaviest_load() >= k_much_load &&
        !reduce_cable_load(least))
      return false;
    recolour(routing_, least);
    if (effort() == Effort::quick) return true;
    // Done last, because trees on longer paths leave less room for others.
    balance(routing_, Effort::thorough, Sharing::none);
    recolour(routing_, least);
    return true;
  }

  /// Routes everything again with more colours, to lower the load on cables. The result is kept if the heaviest
  /// cable carries less and the final number of colours is no more than before, or than is allowed. False when
  /// stopped.
  bool reduce_cable_load(uint32_t least) {
    const uint32_t load = heaviest_load(), limit = routing_.options().colour_limit;
    const uint32_t most = limit > 0 ? limit : routing_.colours().opened();
    Routing::Trees before = routing_.trees();
    attempt(Aim::lighter_cables);
    if (outcome_ == Outcome::done) {
      balance(routing_, Effort::quick, Sharing::none);
      const bool is_lighter = heaviest_load() < load;
      if (is_lighter && routing_.colours().opened() > most) recolour(routing_, least);
      if (is_lighter && routing_.colours().opened() <= most) return true;
    }
    restore(std::move(before));
    return outcome_ != Outcome::stopped;
  }

  /// False if the units are too many for an attempt to be worthwhile.
  bool attempt_with(std::vector<Unit> fewer, double worthy_share) {
    const bool is_worth_it =
        static_cast<double>(fewer.size()) <= worthy_share * static_cast<double>(units_.size());
    units_ = std::move(fewer);
    if (is_worth_it) attempt(Aim::own_trees);
    return is_worth_it;
  }

  void join_equal_hosts() {
    if (outcome_ != Outcome::out_of_colours) return;
    units_.clear();
    for (auto& ids : equal_groups(set_)) units_.push_back(routing_.unit_of(std::move(ids)));
    if (units_.size() < set_.size()) attempt(Aim::own_trees);
  }

  void join_equal_switches() {
    const std::vector<Unit> of_equal_hosts = units_;
    for (uint32_t most = 2; outcome_ == Outcome::out_of_colours && most <= k_most_together; most *= 2)
      if (!attempt_with(of_equal_switches(of_equal_hosts, most), k_much_fewer)) break;
    if (outcome_ == Outcome::out_of_colours) units_ = of_equal_hosts;
  }

  void join_in_pairs(double likeness, double worthy_share) {
    const uint32_t switches = routing_.fabric().switch_count();
    for (uint32_t most = 2; outcome_ == Outcome::out_of_colours && most <= k_most_together; most *= 2)
      if (!attempt_with(joined_in_pairs(units_, switches, likeness), worthy_share)) break;
  }

  /// Tries both: which one loads the heaviest cable less depends on how many groups have to share.
  bool merge_or_join() {
    const std::vector<Unit> units = units_;
    attempt(Aim::all_placed);
    if (outcome_ != Outcome::done) return false;
    balance(routing_, effort(), Sharing::of_any);
    const uint32_t load = heaviest_load();
    Routing::Trees merged = routing_.trees();
    units_ = units;
    outcome_ = Outcome::out_of_colours;
    join_in_pairs(0, k_fewer);
    if (outcome_ == Outcome::stopped) return false;
    if (outcome_ == Outcome::done) {
      balance(routing_, effort(), Sharing::of_any);
      if (heaviest_load() < load) return true;
    }
    restore(std::move(merged));
    return true;
  }

  Routing& routing_;
  UnitPlacement& placement_;
  const GroupSet& set_;
  const RoutingProgress& progress_;
  std::vector<Unit> units_;
  Outcome outcome_ = Outcome::out_of_colours;
};

}  // namespace

bool route_batch(Routing& routing, UnitPlacement& placement, const GroupSet& set,
                 const RoutingProgress& progress) {
  BatchPlanner planner(routing, placement, set, progress);
  return routing.options().method == Method::guided ? planner.route_together() : planner.route_in_order();
}

}  // namespace tutti::fabric
