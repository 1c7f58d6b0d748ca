#include "overlap/buffer_uses.hpp"

#include <algorithm>

namespace tutti::overlap {

BufferUses uses_of(const schedule::Schedule& schedule, schedule::Slot slot) {
  BufferUses uses;
  for (const schedule::Task& task : schedule.tasks()) {
    for_each_use(task, slot, [&](guard::Part part) {
      uses.parts.push_back(part);
      uses.bytes = std::max(uses.bytes, part.offset + part.bytes);
    });
    if (!task.target.empty() && task.target.slot == slot) uses.is_written = true;
  }
  return uses;
}

}  // namespace tutti::overlap
