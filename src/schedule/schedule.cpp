#include "schedule/schedule.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tutti::schedule {

using base::Status;

namespace {

constexpr uint64_t k_alignment_bytes = 64;

uint64_t align_up(uint64_t bytes) {
  return (bytes + k_alignment_bytes - 1) / k_alignment_bytes * k_alignment_bytes;
}

/// Maps a nested buffer to the enclosing schedule.
BufRef relocate(BufRef nested, const Embedding& where, BufRef scratch, BufRef node) {
  const BufRef& base = nested.slot == Slot::input    ? where.input
                       : nested.slot == Slot::output ? where.output
                       : nested.slot == Slot::node   ? node
                                                     : scratch;
  return base.part(nested.offset, nested.length);
}

}  // namespace

size_t Schedule::footprint_bytes() const {
  return sizeof *this + tasks_.capacity() * sizeof(Task) + indegree_.capacity() * sizeof(uint32_t) +
         first_successor_.capacity() * sizeof(uint32_t) + successors_.capacity() * sizeof(TaskId);
}

TaskId ScheduleBuilder::add(Task task, Dependencies after) {
  const TaskId id = static_cast<TaskId>(tasks_.size());
  task.priority = static_cast<uint16_t>(std::min<uint32_t>(UINT16_MAX, uint32_t{task.priority} + priority_));
  tasks_.push_back(task);
  after.for_each([&](TaskId before) { edges_.emplace_back(before, id); });
  return id;
}

TaskId ScheduleBuilder::add_split(Task task, BufRef Task::*buffer, Dependencies after) {
  const BufRef whole = task.*buffer;
  if (whole.length <= k_max_message_bytes) return add(task, after);
  std::vector<TaskId> pieces;
  for (uint64_t at = 0; at < whole.length; at += k_max_message_bytes) {
    task.*buffer = whole.part(at, std::min(k_max_message_bytes, whole.length - at));
    pieces.push_back(add(task, after));
  }
  return join(pieces);
}

TaskId ScheduleBuilder::send(Peer to, BufRef source, Dependencies after) {
  if (source.empty()) return join(after);
  return add_split({.kind = TaskKind::send, .peer = to, .source = source}, &Task::source, after);
}

TaskId ScheduleBuilder::recv(Peer from, BufRef target, Dependencies after) {
  if (target.empty()) return join(after);
  return add_split({.kind = TaskKind::recv, .peer = from, .target = target}, &Task::target, after);
}

TaskId ScheduleBuilder::copy(BufRef source, BufRef target, Dependencies after) {
  if (source.empty() || source == target) return join(after);
  return add({.kind = TaskKind::copy, .source = source, .target = target}, after);
}

TaskId ScheduleBuilder::reduce(BufRef source, BufRef target, Dependencies after, OperandOrder order) {
  if (source.empty()) return join(after);
  return add({.kind = TaskKind::reduce, .order = order, .source = source, .target = target}, after);
}

TaskId ScheduleBuilder::notify(Peer to, Dependencies after) {
  return add({.kind = TaskKind::send, .peer = to}, after);
}

TaskId ScheduleBuilder::await(Peer from, Dependencies after) {
  return add({.kind = TaskKind::recv, .peer = from}, after);
}

TaskId ScheduleBuilder::join(Dependencies after) {
  TaskId only = k_no_task;
  size_t count = 0;
  after.for_each([&](TaskId id) { only = id, ++count; });
  return count <= 1 ? only : add({.kind = TaskKind::nop}, after);
}

Nested ScheduleBuilder::nest(const Schedule& nested, const Embedding& where, Dependencies after) {
  const TaskId gate = join(after);
  if (nested.size() == 0) return {gate, gate};
  const BufRef scratch_base = where.scratch.empty() ? scratch(nested.scratch_bytes()) : where.scratch;
  const BufRef node_base = where.node.empty() ? node(nested.node_bytes()) : where.node;
  if (scratch_base.length < nested.scratch_bytes() || node_base.length < nested.node_bytes())
    error_ = "nested schedule needs more memory than it was given";

  const TaskId first = static_cast<TaskId>(tasks_.size());
  const auto writes_output = [&](TaskId id) {
    const BufRef& target = nested.tasks()[id].target;
    return target.slot == Slot::output && !target.empty();
  };
  std::vector<TaskId> last, last_writers;
  for (TaskId id = 0; id < nested.size(); ++id) {
    Task task = nested.tasks()[id];
    if (task.peer.kind != Peer::Kind::none) task.peer = where.peers[static_cast<size_t>(task.peer.index)];
    task.source = relocate(task.source, where, scratch_base, node_base);
    task.target = relocate(task.target, where, scratch_base, node_base);
    add(task, nested.indegree(id) == 0 ? gate : k_no_task);
    const auto next = nested.successors(id);
    if (next.empty()) last.push_back(first + id);
    if (writes_output(id) && std::none_of(next.begin(), next.end(), writes_output))
      last_writers.push_back(first + id);
  }
  for (TaskId id = 0; id < nested.size(); ++id)
    for (TaskId next : nested.successors(id)) edges_.emplace_back(first + id, first + next);
  return {last_writers.empty() ? gate : join(last_writers), join(last)};
}

BufRef ScheduleBuilder::scratch(uint64_t bytes) {
  const BufRef place{Slot::scratch, align_up(scratch_bytes_), bytes};
  if (bytes > 0) scratch_bytes_ = place.end();
  return place;
}

BufRef ScheduleBuilder::node(uint64_t bytes) {
  const BufRef place{Slot::node, align_up(node_bytes_), bytes};
  if (bytes > 0) node_bytes_ = place.end();
  return place;
}

base::Result<Schedule> ScheduleBuilder::finish() && {
  const auto fail = [](TaskId id, const char* what) {
    return Status::internal("schedule task " + std::to_string(id) + ": " + what);
  };
  const auto inside = [&](const BufRef& b) {
    if (b.slot == Slot::scratch) return b.empty() || b.end() <= scratch_bytes_;
    if (b.slot == Slot::node) return b.empty() || b.end() <= node_bytes_;
    return true;
  };
  if (error_ != nullptr) return Status::internal(std::string("schedule: ") + error_);
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    const Task& task = tasks_[id];
    if (!inside(task.source) || !inside(task.target)) return fail(id, "buffer outside the declared memory");
    if (task.target.slot == Slot::input && !task.target.empty()) return fail(id, "writes to the input");
    const bool two_sided = task.kind == TaskKind::copy || task.kind == TaskKind::reduce;
    if (two_sided && task.source.length != task.target.length)
      return fail(id, "source and target differ in length");
    const bool message = task.kind == TaskKind::send || task.kind == TaskKind::recv;
    if (message && (task.peer.kind == Peer::Kind::none || task.peer.index < 0))
      return fail(id, "message without a peer");
  }

  Schedule schedule;
  const size_t count = tasks_.size();
  schedule.indegree_.assign(count, 0);
  schedule.first_successor_.assign(count + 1, 0);
  schedule.successors_.resize(edges_.size());
  for (auto [before, after] : edges_) {
    // Dependencies refer to earlier tasks only, which makes the graph acyclic by construction.
    if (before >= after || after >= count) return fail(after, "depends on a task that is not before it");
    ++schedule.indegree_[after];
    ++schedule.first_successor_[before + 1];
  }
  for (size_t i = 0; i < count; ++i) schedule.first_successor_[i + 1] += schedule.first_successor_[i];
  std::vector<uint32_t> next(schedule.first_successor_.begin(), schedule.first_successor_.end() - 1);
  for (auto [before, after] : edges_) schedule.successors_[next[before]++] = after;

  schedule.tasks_ = std::move(tasks_);
  schedule.scratch_bytes_ = scratch_bytes_;
  schedule.node_bytes_ = node_bytes_;
  return schedule;
}

}  // namespace tutti::schedule
