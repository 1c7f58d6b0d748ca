// Many groups at once, none of them announced yet. The guided method may change their order, and merge those
// with the same hosts. Such a merge is free: no host gets additional packets.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fabric/pairing.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

using base::Status;

namespace {

/// Largest number of groups joined in bulk before the rest is merged one by one.
constexpr uint32_t k_most_together = 64;
/// Another attempt is made if it has at most this share of the units: a smaller share if there is an
/// alternative.
constexpr double k_much_fewer = 0.75, k_fewer = 0.95;
/// Two units are joined only if the common switches are at least this share of the switches of both.
/// Otherwise their common tree is much larger than each of theirs.
constexpr double k_alike = 0.3;

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
/// the cables of hosts carry more packets.
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

/// Large trees have the fewest colours to choose from; small ones fit into the remaining gaps.
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
  if (state.route_batch(groups, progress)) return {};
  state.reset();
  state.groups.clear();
  return Status::not_supported("stopped");
}

void Router::State::reset() {
  const uint32_t limit = forest.colours().limit();
  forest = Forest(fabric, limit);
  for (Group& group : groups) group.tree = k_none;
  counts = {};
  placed = heaviest_so_far = 0;
  greatest_height = 0;
  high_searches = vain_searches = {};
}

Router::State::Plan Router::State::plan() const {
  return {forest, counts};
}

void Router::State::restore(Plan plan) {
  reset();
  forest = std::move(plan.forest);
  counts = plan.counts;
  for (TreeId id = 0; id < forest.tree_slots(); ++id)
    for (const GroupId group : forest.tree(id).groups) groups[group].tree = id;
}

/// First attempt without sharing, as long as there are free colours. Further attempts route everything again:
/// with groups of equal hosts joined, then with groups of equal switches joined (two of them, four, and so
/// on), and, if too few are equal, with similar ones joined. The rest has to be merged one by one, or joined
/// without being similar.
class Router::State::BatchPlanner {
 public:
  BatchPlanner(State& state, const GroupSet& set, const Progress& progress)
      : state_(state), set_(set), progress_(progress) {
    for (GroupId id = 0; id < set.size(); ++id) units_.push_back(state.unit_of({id}));
  }

  /// False when stopped.
  bool route() {
    attempt(false);
    if (outcome_ == Outcome::done) return state_.improve(units_, progress_);
    join_equal_hosts();
    join_equal_switches();
    join_in_pairs(k_alike, k_much_fewer);
    if (outcome_ == Outcome::out_of_colours) return merge_or_join();
    if (outcome_ == Outcome::done) state_.balance(state_.options.effort, Sharing::of_alike);
    return outcome_ == Outcome::done;
  }

 private:
  void attempt(bool may_merge) {
    largest_first(units_);
    if (!may_merge && state_.most_at_a_switch(units_) > state_.forest.colours().limit()) return;
    state_.reset();
    outcome_ = state_.route_units(units_, progress_, may_merge);
  }

  /// False if the units are too many for an attempt to be worthwhile.
  bool attempt_with(std::vector<Unit> fewer, double worthy_share) {
    const bool is_worth_it =
        static_cast<double>(fewer.size()) <= worthy_share * static_cast<double>(units_.size());
    units_ = std::move(fewer);
    if (is_worth_it) attempt(false);
    return is_worth_it;
  }

  void join_equal_hosts() {
    if (outcome_ != Outcome::out_of_colours) return;
    units_.clear();
    for (auto& ids : equal_groups(set_)) units_.push_back(state_.unit_of(std::move(ids)));
    if (units_.size() < set_.size()) attempt(false);
  }

  void join_equal_switches() {
    const std::vector<Unit> of_equal_hosts = units_;
    for (uint32_t most = 2; outcome_ == Outcome::out_of_colours && most <= k_most_together; most *= 2)
      if (!attempt_with(of_equal_switches(of_equal_hosts, most), k_much_fewer)) break;
    if (outcome_ == Outcome::out_of_colours) units_ = of_equal_hosts;
  }

  void join_in_pairs(double likeness, double worthy_share) {
    for (uint32_t most = 2; outcome_ == Outcome::out_of_colours && most <= k_most_together; most *= 2)
      if (!attempt_with(joined_in_pairs(units_, state_.fabric.switch_count(), likeness), worthy_share)) break;
  }

  /// Tries both: which one loads the heaviest cable less depends on how many groups have to share.
  bool merge_or_join() {
    const std::vector<Unit> units = units_;
    attempt(true);
    if (outcome_ != Outcome::done) return false;
    state_.balance(state_.options.effort, Sharing::of_any);
    const uint32_t load = state_.heaviest_load();
    Plan merged = state_.plan();
    units_ = units;
    outcome_ = Outcome::out_of_colours;
    join_in_pairs(0, k_fewer);
    if (outcome_ == Outcome::stopped) return false;
    if (outcome_ == Outcome::done) {
      state_.balance(state_.options.effort, Sharing::of_any);
      if (state_.heaviest_load() < load) return true;
    }
    state_.restore(std::move(merged));
    return true;
  }

  State& state_;
  const GroupSet& set_;
  const Progress& progress_;
  std::vector<Unit> units_;
  Outcome outcome_ = Outcome::out_of_colours;
};

/// The paper's method routes groups in their given order.
bool Router::State::route_batch(const GroupSet& set, const Progress& progress) {
  if (options.method == Method::guided) return BatchPlanner(*this, set, progress).route();
  std::vector<Unit> units;
  for (GroupId id = 0; id < set.size(); ++id) units.push_back(unit_of({id}));
  return route_units(units, progress, true) == Outcome::done;
}

/// Groups that find no colour wait until all others have one: a merged tree is large and leaves little room.
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
    merge_guided(*unit);  // without another attempt at a free colour: there was none before
    if (!goes_on(*unit)) return Outcome::stopped;
  }
  return Outcome::done;
}

}  // namespace tutti::fabric
