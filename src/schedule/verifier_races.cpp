// Verifier: checks that conflicting accesses to the same bytes are ordered.

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "schedule/verifier_state.hpp"

namespace tutti::schedule::verifier {

namespace {

/// Two tasks that access the same bytes, at least one of them writing; `second` cannot run before `first`.
struct Conflict {
  GlobalId first, second;
  uint64_t byte;  // the lowest byte that both access
};

/// Finds pairs of overlapping accesses of which at least one writes: a subset of all such pairs that is sufficient,
/// because if all found pairs are ordered, all such pairs are. `position` maps a task to its index in a feasible
/// execution order.
template <class Position>
class ConflictFinder {
 public:
  ConflictFinder(std::vector<Conflict>& found, Position position) : found_(found), position_(position) {}

  void find(std::vector<Access>& accesses) {
    std::sort(accesses.begin(), accesses.end(), [&](const Access& a, const Access& b) {
      if (a.begin != b.begin) return a.begin < b.begin;
      return a.end != b.end ? a.end < b.end : position_(a.task) < position_(b.task);
    });
    std::vector<std::span<const Access>> active;  // groups of equal range that may overlap later ones
    for (size_t from = 0, to; from < accesses.size(); from = to) {
      const auto same_range = [&](const Access& a) {
        return a.begin == accesses[from].begin && a.end == accesses[from].end;
      };
      for (to = from + 1; to < accesses.size() && same_range(accesses[to]);) ++to;
      const std::span<const Access> group(accesses.data() + from, to - from);
      std::erase_if(active, [&](const auto& other) { return other.front().end <= group.front().begin; });
      for (const auto& other : active) between(other, group);
      within(group);
      active.push_back(group);
    }
  }

 private:
  void add(const Access& a, const Access& b) {
    if (a.task == b.task) return;
    const bool forward = position_(a.task) < position_(b.task);
    found_.push_back(forward ? Conflict{a.task, b.task, std::max(a.begin, b.begin)}
                             : Conflict{b.task, a.task, std::max(a.begin, b.begin)});
  }

  /// Accesses to the same bytes, in order. Order is transitive, so that comparison with the last writer is sufficient.
  void within(std::span<const Access> group) {
    const Access* writer = nullptr;
    std::vector<const Access*> readers;  // since `writer`
    for (const Access& access : group) {
      if (writer != nullptr && (readers.empty() || !access.writes)) add(*writer, access);
      if (!access.writes) {
        readers.push_back(&access);
        continue;
      }
      for (const Access* reader : readers) add(*reader, access);
      readers.clear();
      writer = &access;
    }
  }

  void between(std::span<const Access> group, std::span<const Access> other) {
    for (const Access& a : group)
      for (const Access& b : other)
        if (a.writes || b.writes) add(a, b);
  }

  std::vector<Conflict>& found_;
  Position position_;
};

/// Determines which of up to k_width chosen tasks are certainly complete when a task starts.
class Precedence {
 public:
  static constexpr size_t k_width = 256;

  explicit Precedence(const State& state)
      : state_(state), before_(state.task_count()), bit_of_(state.task_count(), k_none) {}

  /// `order` lists the tasks to examine in topological order.
  template <class Order>
  void compute(std::span<const GlobalId> chosen, const Order& order, bool through_messages) {
    for (GlobalId id : order) before_[id] = {};
    for (uint32_t bit = 0; bit < chosen.size(); ++bit) bit_of_[chosen[bit]] = bit;
    for (GlobalId id : order) {
      Row done = before_[id];
      if (bit_of_[id] != k_none) done[bit_of_[id] / 64] |= uint64_t{1} << bit_of_[id] % 64;
      // A receive ends only after its send has started. The reverse does not hold: an eager send may end before its
      // receive starts.
      if (through_messages && state_.task(id).kind == TaskKind::recv)
        merge(done, before_[state_.messages[state_.message_of[id]].send]);
      state_.for_each_successor(id, [&](GlobalId next) { merge(before_[next], done); });
    }
  }

  bool precedes(GlobalId chosen, GlobalId task) const {
    const uint32_t bit = bit_of_[chosen];
    return before_[task][bit / 64] >> bit % 64 & 1;
  }

  void forget(std::span<const GlobalId> chosen) {
    for (GlobalId id : chosen) bit_of_[id] = k_none;
  }

 private:
  using Row = std::array<uint64_t, k_width / 64>;
  static void merge(Row& into, const Row& from) {
    for (size_t word = 0; word < into.size(); ++word) into[word] |= from[word];
  }

  const State& state_;
  std::vector<Row> before_;
  std::vector<uint32_t> bit_of_;
};

/// The first conflict that is not ordered, or nullptr.
template <class Order>
const Conflict* first_unordered(std::vector<Conflict>& conflicts, const Order& order, bool through_messages,
                                Precedence& precedence) {
  std::sort(conflicts.begin(), conflicts.end(), [](const Conflict& a, const Conflict& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  for (size_t at = 0; at < conflicts.size();) {
    std::vector<GlobalId> chosen;
    size_t end = at;
    for (; end < conflicts.size(); ++end) {
      if (!chosen.empty() && chosen.back() == conflicts[end].first) continue;
      if (chosen.size() == Precedence::k_width) break;
      chosen.push_back(conflicts[end].first);
    }
    precedence.compute(chosen, order, through_messages);
    for (; at < end; ++at)
      if (!precedence.precedes(conflicts[at].first, conflicts[at].second)) return &conflicts[at];
    precedence.forget(chosen);
  }
  return nullptr;
}

constexpr std::array<const char*, 4> k_slot_names = {"input", "output", "scratch", "node"};

VerifyReport report_race(const State& state, const Conflict& conflict, Failure failure, Slot slot) {
  return fail(failure, state, conflict.second,
              std::string("touches ") + k_slot_names[static_cast<size_t>(slot)] + " byte " +
                  std::to_string(conflict.byte) + " without being ordered after " +
                  name_of(state, conflict.first));
}

}  // namespace

VerifyReport check_races(const State& state) {
  Precedence precedence(state);
  std::array<std::vector<Access>, 4> accesses;
  std::vector<Conflict> conflicts;
  std::vector<GlobalId> tasks;  // clang 14 cannot iterate over std::ranges::iota_view of libstdc++ 12
  for (Rank r = 0; r < state.rank_count(); ++r) {
    // Dependencies point to earlier tasks, so that task order is topological.
    tasks.resize(state.first_task[static_cast<size_t>(r) + 1] - state.first_task[static_cast<size_t>(r)]);
    std::iota(tasks.begin(), tasks.end(), state.first_task[static_cast<size_t>(r)]);
    for (auto& of_slot : accesses) of_slot.clear();
    for (GlobalId id : tasks)
      for_each_access(id, state.task(id), [&](Slot slot, const Access& access) {
        accesses[static_cast<size_t>(slot)].push_back(access);
      });
    for (size_t slot = 0; slot < accesses.size(); ++slot) {
      conflicts.clear();
      ConflictFinder(conflicts, [](GlobalId id) { return id; }).find(accesses[slot]);
      if (const Conflict* race = first_unordered(conflicts, tasks, false, precedence))
        return report_race(state, *race, Failure::race, static_cast<Slot>(slot));
    }
  }
  return {};
}

VerifyReport check_node_races(const State& state) {
  std::vector<std::vector<Access>> of_node(state.problem.leader_of_node.size());
  bool used = false;
  for (GlobalId id = 0; id < state.task_count(); ++id)
    for_each_access(id, state.task(id), [&](Slot slot, const Access& access) {
      if (slot != Slot::node) return;
      used = true;
      of_node[static_cast<size_t>(state.problem.node_of_rank[static_cast<size_t>(state.rank(id))])].push_back(
          access);
    });
  if (!used) return {};

  std::vector<uint32_t> position(state.task_count());
  for (uint32_t at = 0; at < state.order.size(); ++at) position[state.order[at]] = at;
  Precedence precedence(state);
  std::vector<Conflict> conflicts;
  ConflictFinder finder(conflicts, [&](GlobalId id) { return position[id]; });
  for (auto& accesses : of_node) finder.find(accesses);
  // Conflicts within one rank are ordered: check_races() has checked them.
  std::erase_if(conflicts, [&](const Conflict& c) { return state.rank(c.first) == state.rank(c.second); });
  if (const Conflict* race = first_unordered(conflicts, state.order, true, precedence))
    return report_race(state, *race, Failure::node_race, Slot::node);
  return {};
}

}  // namespace tutti::schedule::verifier
