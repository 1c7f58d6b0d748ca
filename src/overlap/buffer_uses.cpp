#include "overlap/buffer_uses.hpp"

#include <algorithm>

namespace tutti::overlap {

using schedule::Slot;
using schedule::Task;
using schedule::TaskId;

bool is_own_copy(const schedule::Schedule& schedule, TaskId id) {
  const Task& task = schedule.tasks()[id];
  return task.kind == schedule::TaskKind::copy && task.source.slot == Slot::input &&
         task.target.slot == Slot::output && schedule.indegree(id) == 0;
}

BufferUses uses_of(const schedule::Schedule& schedule, Slot slot) {
  BufferUses uses;
  for (TaskId id = 0; id < schedule.size(); ++id) {
    const Task& task = schedule.tasks()[id];
    const bool is_own = is_own_copy(schedule, id);
    for_each_use(task, slot, [&](guard::Part part) {
      (is_own ? uses.own : uses.parts).push_back(part);
      uses.bytes = std::max(uses.bytes, part.offset + part.bytes);
    });
    if (!task.target.empty() && task.target.slot == slot) uses.is_written = true;
  }
  return uses;
}

}  // namespace tutti::overlap
