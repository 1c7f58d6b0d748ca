// Many groups at once, none of them announced yet: the guided method may take them in another order, and
// merge those that have the same hosts, which costs nothing: no host gets a packet that it would not get
// anyway.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fabric/pairing.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

using base::Status;

namespace {

/// Groups that may go together before they are merged one by one.
constexpr uint32_t k_most_together = 64;
/// Another attempt is worth its time with this share of the units: less than that where there is another way.
constexpr double k_much_fewer = 0.75, k_fewer = 0.95;

/// Groups of exactly the same hosts, each set in ascending order, sets in the order of their first group.
std::vector<std::vector<GroupId>> equal_groups(const GroupSet& groups) {
  std::vector<GroupId> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](GroupId a, GroupId b) {
    const auto left = groups.members(a), right = groups.members(b);
    if (left.size() != right.size()) return left.size() < right.size();
    const auto [l, r] = std::mismatch(left.begin(), left.end(), right.begin());
    return l == left.end() ? a < b : *l < *r;
  };
  std::sort(order.begin(), order.end(), less);
  std::vector<std::vector<GroupId>> sets;
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_equal = i > 0 && std::ranges::equal(groups.members(order[i - 1]), groups.members(order[i]));
    if (!is_equal) sets.emplace_back();
    sets.back().push_back(order[i]);
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

/// Joins units with members at the same switches, at most `most` of them: one tree serves them all, and only
/// the cables of hosts carry more.
std::vector<Unit> of_equal_switches(std::span<const Unit> units, uint32_t most) {
  std::vector<const Unit*> order;
  for (const Unit& unit : units) order.push_back(&unit);
  std::stable_sort(order.begin(), order.end(),
                   [](const Unit* a, const Unit* b) { return a->terminals < b->terminals; });
  std::vector<Unit> joined;
  uint32_t together = most;
  for (const Unit* unit : order) {
    if (together >= most || joined.back().terminals != unit->terminals) {
      joined.push_back(*unit);
      together = 1;
      continue;
    }
    joined.back().groups.insert(joined.back().groups.end(), unit->groups.begin(), unit->groups.end());
    ++together;
  }
  return joined;
}

/// Large trees have the fewest colours to choose from; small ones fit into what these leave.
void largest_first(std::vector<Unit>& units) {
  std::stable_sort(units.begin(), units.end(),
                   [](const Unit& a, const Unit& b) { return a.terminals.size() > b.terminals.size(); });
}

}  // namespace

Status Router::join_all(const GroupSet& groups, const Progress& progress) {
  State& state = *state_;
  if (!state.groups.empty()) return Status::invalid_argument("join_all() needs a router without groups");
  for (GroupId id = 0; id < groups.size(); ++id)
    if (const Status status = state.check_members(groups.members(id)); !status)
      return Status::invalid_argument(
          fmt::format("group {}: {}", to_string(groups.mgid(id)), status.message()));
  for (GroupId id = 0; id < groups.size(); ++id)
    state.new_group({groups.members(id).begin(), groups.members(id).end()});
  if (state.route_together(groups, progress)) return {};
  state.start_over();
  state.groups.clear();
  return Status::not_supported("stopped");
}

void Router::State::start_over() {
  const uint32_t limit = forest.colours().limit();
  forest = Forest(fabric, limit);
  for (Group& group : groups) group.tree = k_none;
  counts = {};
  placed = heaviest_so_far = 0;
  greatest_height = 0;
  high_searches = vain_searches = {};
}

/// First without any sharing, as long as colours last; then all over again with groups of equal hosts
/// together, then with groups of equal switches together, two of them, four, and so on, and where too few are
/// equal, with those that are alike. What is left after that has to be merged one by one. The paper's method
/// takes groups as they come.
bool Router::State::route_together(const GroupSet& set, const Progress& progress) {
  std::vector<Unit> units;
  for (GroupId id = 0; id < set.size(); ++id) units.push_back(unit_of({id}));
  if (options.method == Method::paper) return route_units(units, progress, true) != Outcome::stopped;
  Outcome outcome = Outcome::out_of_colours;
  const auto attempt = [&](bool may_merge) {
    largest_first(units);
    if (!may_merge && most_at_a_switch(units) > forest.colours().limit()) return;
    start_over();
    outcome = route_units(units, progress, may_merge);
  };
  const auto attempt_with = [&](std::vector<Unit> fewer, double worthy_share) {
    const bool is_worth_it =
        static_cast<double>(fewer.size()) <= worthy_share * static_cast<double>(units.size());
    units = std::move(fewer);
    if (is_worth_it) attempt(false);
    return is_worth_it;
  };
  attempt(false);
  const bool is_alone = outcome == Outcome::done;
  if (outcome == Outcome::out_of_colours) {
    units.clear();
    for (auto& ids : equal_groups(set)) units.push_back(unit_of(std::move(ids)));
    if (units.size() < set.size()) attempt(false);
  }
  const std::vector<Unit> of_equal_hosts = units;
  for (uint32_t most = 2; outcome == Outcome::out_of_colours && most <= k_most_together; most *= 2)
    if (!attempt_with(of_equal_switches(of_equal_hosts, most), k_much_fewer)) break;
  if (outcome == Outcome::out_of_colours) units = of_equal_hosts;
  for (uint32_t most = 2; outcome == Outcome::out_of_colours && most <= k_most_together; most *= 2)
    if (!attempt_with(joined_in_pairs(units, fabric.switch_count()), k_fewer)) break;
  if (outcome == Outcome::out_of_colours) attempt(true);
  if (outcome != Outcome::done) return false;
  if (is_alone) return improve(units, progress);
  balance(options.effort);
  return true;
}

/// Groups that find no colour wait until all others have theirs: a merged tree is large and leaves little
/// room.
Router::State::Outcome Router::State::route_units(std::span<const Unit> units, const Progress& progress,
                                                  bool may_merge) {
  constexpr uint32_t k_progress_interval = 256;
  uint32_t done = 0, reported = 0;
  const auto goes_on = [&](const Unit& unit) {
    done += static_cast<uint32_t>(unit.groups.size());
    if (!progress || done < reported + k_progress_interval) return true;
    reported = done;
    return progress(done);
  };
  std::vector<const Unit*> waiting;
  for (const Unit& unit : units) {
    ++placed;
    if (options.method == Method::paper) {
      place_paper(unit);
    } else if (!place_guided(unit)) {
      if (!may_merge) return Outcome::out_of_colours;
      waiting.push_back(&unit);
      continue;
    }
    if (!goes_on(unit)) return Outcome::stopped;
  }
  for (const Unit* unit : waiting) {
    merge_guided(*unit);  // what found no place before finds none now
    if (!goes_on(*unit)) return Outcome::stopped;
  }
  return Outcome::done;
}

}  // namespace tutti::fabric
