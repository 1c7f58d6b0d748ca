#pragma once
// State shared by the checks of the verifier. Used only by the verifier.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "schedule/print.hpp"
#include "schedule/verifier.hpp"

namespace tutti::schedule::verifier {

/// Number of a task among the tasks of all ranks.
using GlobalId = uint32_t;

inline constexpr uint32_t k_none = std::numeric_limits<uint32_t>::max();

/// A send and the receive that it matches.
struct Message {
  GlobalId send = k_none;
  GlobalId recv = k_none;
  uint32_t next_in_channel = k_none;
  bool is_head = false;  // no earlier message in its channel
};

/// The results of the checks; each check adds its own.
struct State {
  State(const Problem& of, std::span<const Schedule> all_schedules);

  const Problem& problem;
  std::span<const Schedule> schedules;
  std::vector<GlobalId> first_task;  // of each rank, and the total number of tasks as last entry
  std::vector<Rank> rank_of;         // of each global task
  std::vector<uint32_t> message_of;  // of each global task, or k_none
  std::vector<Message> messages;
  /// All tasks in an order in which they can run; a receive directly follows its send.
  std::vector<GlobalId> order;

  Rank rank_count() const { return static_cast<Rank>(schedules.size()); }
  GlobalId task_count() const { return first_task.back(); }
  Rank rank(GlobalId id) const { return rank_of[id]; }
  TaskId local(GlobalId id) const { return id - first_task[static_cast<size_t>(rank_of[id])]; }
  const Task& task(GlobalId id) const {
    return schedules[static_cast<size_t>(rank_of[id])].tasks()[local(id)];
  }
  GlobalId global(Rank r, TaskId id) const { return first_task[static_cast<size_t>(r)] + id; }
  /// The rank that `peer` denotes.
  Rank other_side(const Peer& peer) const;

  template <class Visit>
  void for_each_successor(GlobalId id, Visit visit) const {
    const GlobalId first = first_task[static_cast<size_t>(rank_of[id])];
    for (TaskId next : schedules[static_cast<size_t>(rank_of[id])].successors(id - first))
      visit(first + next);
  }
};

/// "rank 2 task 5 (send …)".
std::string name_of(const State& state, GlobalId id);
VerifyReport fail(Failure failure, const State& state, GlobalId id, std::string what);

/// One access of a task to memory.
struct Access {
  GlobalId task;
  uint64_t begin, end;
  bool writes;
};

/// Calls visit(slot, access) for each buffer that a task reads or writes.
template <class Visit>
void for_each_access(GlobalId id, const Task& task, Visit visit) {
  if (!task.source.empty()) visit(task.source.slot, Access{id, task.source.offset, task.source.end(), false});
  if (!task.target.empty()) visit(task.target.slot, Access{id, task.target.offset, task.target.end(), true});
}

// The checks, in the order in which they run. Each one requires that the previous ones succeeded.
VerifyReport check_structure(const State& state);
VerifyReport match_messages(State& state);  // fills messages and message_of
VerifyReport check_deadlock(State& state);  // fills order
VerifyReport check_races(const State& state);
VerifyReport check_node_races(const State& state);
VerifyReport check_contents(const State& state);
VerifyReport check_synchronisation(const State& state);
Counts count(const State& state);

}  // namespace tutti::schedule::verifier
