#pragma once
// One rank's schedule of a collective: an immutable directed acyclic graph of tasks (DESIGN §4).

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "schedule/task.hpp"

namespace tutti::schedule {

/// Immutable and cacheable: it can be started any number of times, by any thread, with any addresses.
class Schedule {
 public:
  std::span<const Task> tasks() const { return tasks_; }
  size_t size() const { return tasks_.size(); }
  /// Tasks that depend on `id`.
  std::span<const TaskId> successors(TaskId id) const {
    return {successors_.data() + first_successor_[id], successors_.data() + first_successor_[id + 1]};
  }
  /// Number of tasks that `id` depends on.
  uint32_t indegree(TaskId id) const { return indegree_[id]; }
  std::span<const uint32_t> indegrees() const { return indegree_; }

  /// Bytes of private memory that an execution needs.
  uint64_t scratch_bytes() const { return scratch_bytes_; }
  /// Bytes of the node's shared memory that an execution needs; the same on every rank of a node.
  uint64_t node_bytes() const { return node_bytes_; }
  /// Memory that this object itself occupies.
  size_t footprint_bytes() const;

 private:
  friend class ScheduleBuilder;
  std::vector<Task> tasks_;
  std::vector<uint32_t> indegree_;
  std::vector<uint32_t> first_successor_;  // CSR, size() + 1 entries
  std::vector<TaskId> successors_;
  uint64_t scratch_bytes_ = 0;
  uint64_t node_bytes_ = 0;
};

/// Tasks that must be complete before another starts.
class Dependencies {
 public:
  Dependencies() = default;
  Dependencies(TaskId one) : one_(one) {}                                                 // NOLINT: implicit
  Dependencies(std::initializer_list<TaskId> list) : list_(list.begin(), list.size()) {}  // NOLINT: implicit
  Dependencies(std::span<const TaskId> list) : list_(list) {}                             // NOLINT: implicit
  Dependencies(const std::vector<TaskId>& list) : list_(list) {}                          // NOLINT: implicit

  template <class Visit>
  void for_each(Visit visit) const {
    if (one_ != k_no_task) visit(one_);
    for (TaskId id : list_)
      if (id != k_no_task) visit(id);
  }

 private:
  TaskId one_ = k_no_task;
  std::span<const TaskId> list_;
};

/// Maps the buffers and peers of a nested schedule to those of the enclosing one.
struct Embedding {
  BufRef input, output;         // buffers that replace the nested schedule's input and output
  std::span<const Peer> peers;  // nested rank -> peer of the enclosing schedule
  /// Memory for the nested scratch and node slots; if empty, the builder allocates it.
  BufRef scratch = {}, node = {};
};

/// Tasks of the enclosing schedule at which a nested one has finished.
struct Nested {
  TaskId ready = k_no_task;  // its output is complete (messages that forward it may still be in flight)
  TaskId done = k_no_task;   // all of its tasks are complete
};

/// Builds the schedule of one rank. Dependencies are explicit; there is no fence.
///
/// Transfers, copies and reductions of zero bytes add no task, but their dependencies remain in force through the
/// returned id. A message without data is a notify() and an await(). Messages of more than k_max_message_bytes are
/// split, identically on both sides.
class ScheduleBuilder {
 public:
  static constexpr uint64_t k_max_message_bytes = uint64_t{1} << 30;

  TaskId send(Peer to, BufRef source, Dependencies after = {});
  TaskId recv(Peer from, BufRef target, Dependencies after = {});
  TaskId copy(BufRef source, BufRef target, Dependencies after = {});
  TaskId reduce(BufRef source, BufRef target, Dependencies after = {},
                OperandOrder order = OperandOrder::source_first);
  TaskId notify(Peer to, Dependencies after = {});
  TaskId await(Peer from, Dependencies after = {});
  /// One task that completes after all of `after`; k_no_task if `after` is empty.
  TaskId join(Dependencies after);
  /// Inlines a finished schedule, whose tasks start after `after`. Error (reported by finish()): `where.scratch` or
  /// `where.node` is too small.
  Nested nest(const Schedule& nested, const Embedding& where, Dependencies after = {});

  /// Private memory for this rank, 64-byte aligned.
  BufRef scratch(uint64_t bytes);
  /// The node's shared memory: the same calls in the same order on every rank of a node return the same offsets.
  BufRef node(uint64_t bytes);

  /// Priority of the tasks added from now on (0 runs first).
  void set_priority(uint16_t priority) { priority_ = priority; }

  /// Checks the structure: dependencies only on earlier tasks (hence no cycle), buffers inside the declared scratch and
  /// node memory, equal lengths on both sides of copies and reductions, no write to the input.
  base::Result<Schedule> finish() &&;

 private:
  TaskId add(Task task, Dependencies after);
  TaskId add_split(Task task, BufRef Task::*buffer, Dependencies after);

  std::vector<Task> tasks_;
  std::vector<std::pair<TaskId, TaskId>> edges_;  // before, after
  uint64_t scratch_bytes_ = 0;
  uint64_t node_bytes_ = 0;
  uint16_t priority_ = 0;
  const char* error_ = nullptr;  // first misuse, reported by finish()
};

}  // namespace tutti::schedule
