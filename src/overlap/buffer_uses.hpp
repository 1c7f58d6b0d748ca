#pragma once
// How the tasks of a schedule use the program's buffers.

#include <vector>

#include "overlap/guard/guard.hpp"
#include "schedule/schedule.hpp"

namespace tutti::overlap {

/// Calls `visit(guard::Part)` for each buffer of a task in this slot.
template <class Visit>
void for_each_use(const schedule::Task& task, schedule::Slot slot, Visit visit) {
  for (const schedule::BufRef* buffer : {&task.source, &task.target})
    if (!buffer->empty() && buffer->slot == slot) visit(guard::Part{buffer->offset, buffer->length});
}

/// Whether the task copies from the program's input to its output buffer without dependencies. The call executes such a
/// task itself: a later copy would require a copy of the input first.
bool is_own_copy(const schedule::Schedule& schedule, schedule::TaskId id);

struct BufferUses {
  std::vector<guard::Part> parts;  // one per use by a task that is not an own copy
  std::vector<guard::Part> own;    // targets of own copies
  uint64_t bytes = 0;              // from the buffer's beginning to the end of its last use
  bool is_written = false;
};

/// Throws std::bad_alloc.
BufferUses uses_of(const schedule::Schedule& schedule, schedule::Slot slot);

}  // namespace tutti::overlap
