#include "schedule/transposed.hpp"

#include <utility>
#include <vector>

namespace tutti::schedule {

namespace {

BufRef mirrored(BufRef buffer) {
  if (buffer.slot == Slot::input)
    buffer.slot = Slot::output;
  else if (buffer.slot == Slot::output)
    buffer.slot = Slot::input;
  return buffer;
}

/// Adds the reverse of one task.
TaskId add_reversed(ScheduleBuilder& builder, const Task& task, const std::vector<TaskId>& after) {
  const BufRef source = mirrored(task.target), target = mirrored(task.source);
  builder.set_priority(task.priority);
  switch (task.kind) {
    case TaskKind::send:
      return target.empty() ? builder.await(task.peer, after) : builder.recv(task.peer, target, after);
    case TaskKind::recv:
      return source.empty() ? builder.notify(task.peer, after) : builder.send(task.peer, source, after);
    case TaskKind::copy:
      return builder.copy(source, target, after);
    case TaskKind::reduce:
    case TaskKind::nop:
      break;
  }
  return builder.join(after);
}

}  // namespace

base::Result<Schedule> transposed(const Schedule& schedule) {
  ScheduleBuilder builder;
  builder.scratch(schedule.scratch_bytes());
  builder.node(schedule.node_bytes());
  std::vector<TaskId> reversed(schedule.size()), after;
  for (auto id = static_cast<TaskId>(schedule.size()); id-- > 0;) {
    if (schedule.tasks()[id].kind == TaskKind::reduce)
      return base::Status::internal("a schedule that reduces cannot be transposed");
    after.clear();
    for (const TaskId next : schedule.successors(id)) after.push_back(reversed[next]);
    reversed[id] = add_reversed(builder, schedule.tasks()[id], after);
  }
  return std::move(builder).finish();
}

}  // namespace tutti::schedule
