#pragma once
// What the tasks of a schedule do with the program's buffers.

#include <vector>

#include "overlap/guard/guard.hpp"
#include "schedule/schedule.hpp"

namespace tutti::overlap {

/// Calls `visit(guard::Part)` for each of a task's buffers in a slot.
template <class Visit>
void for_each_use(const schedule::Task& task, schedule::Slot slot, Visit visit) {
  for (const schedule::BufRef* buffer : {&task.source, &task.target})
    if (!buffer->empty() && buffer->slot == slot) visit(guard::Part{buffer->offset, buffer->length});
}

/// From the program's one buffer to the other, waiting for nothing: the call makes it itself, because what it would
/// read later had to be copied before the return.
bool is_own_copy(const schedule::Schedule& schedule, schedule::TaskId id);

struct BufferUses {
  std::vector<guard::Part> parts;  // one for each use of a task that is not an own copy
  std::vector<guard::Part> own;    // the targets of own copies
  uint64_t bytes = 0;              // from the buffer's beginning to the end of what any task uses
  bool is_written = false;
};

/// Throws std::bad_alloc.
BufferUses uses_of(const schedule::Schedule& schedule, schedule::Slot slot);

}  // namespace tutti::overlap
