#include "overlap/early_return_job.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tutti::overlap {

using base::Status;
using schedule::Slot;

namespace {

Status copy_aside(const std::byte* buffer, const BufferUses& uses, SendCopy* copy) {
  auto made = SendCopy::of(buffer, uses.bytes, uses.parts);
  if (made) *copy = std::move(*made);
  return made.status();
}

/// Must be called before the targets are closed.
void make_own_copies(const schedule::Schedule& tasks, const engine::Bindings& bound) {
  for (schedule::TaskId id = 0; id < tasks.size(); ++id) {
    if (!is_own_copy(tasks, id)) continue;
    const schedule::Task& task = tasks.tasks()[id];
    std::memmove(bound.output + task.target.offset, bound.input + task.source.offset, task.source.length);
  }
}

}  // namespace

Status EarlyReturnJob::step_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                                  std::span<const guard::Mechanism> mechanisms) {
  engine::Bindings aside = *bound;
  try {
    if (Status out_of_the_way = put_aside(tasks, &aside, owned, mechanisms); !out_of_the_way)
      return out_of_the_way;
  } catch (const std::bad_alloc&) {
    return {base::Code::out_of_memory, "no memory for a call that returns early"};
  }
  *bound = aside;
  bound->watcher = this;
  schedule_ = &tasks;
  if (guard_ == nullptr || guard_->are_edges_open()) may_return_.set();
  return {};
}

/// The program's data is copied before anything is closed, because it may lie in gaps of the received data.
Status EarlyReturnJob::put_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                                 std::span<const guard::Mechanism> mechanisms) {
  const BufferUses input = uses_of(tasks, Slot::input);
  BufferUses output = uses_of(tasks, Slot::output);
  if (owned.output && output.is_written)
    return Status::not_supported("what arrives has to be brought into the program's layout");
  make_own_copies(tasks, *bound);
  if (!owned.input && !input.parts.empty()) {
    if (Status copied = copy_aside(bound->input, input, &input_copy_); !copied) return copied;
    bound->input = input_copy_.data();
  }
  if (owned.output || output.parts.empty()) return {};
  if (!output.is_written) {  // the root of a broadcast
    if (Status copied = copy_aside(bound->output, output, &output_copy_); !copied) return copied;
    bound->output = output_copy_.data();
    return {};
  }
  auto guard = guard::Guard::close(bound->output, output.bytes, output.parts, mechanisms, output.own);
  if (!guard) return guard.status();
  guard_ = std::move(*guard);
  output_ = bound->output;
  written_ = std::move(output.parts);
  bound->output = guard_->owners_buffer();
  return {};
}

bool EarlyReturnJob::writes_to(const void* address) const {
  const uint64_t offset = guard::number_of(address) - guard::number_of(output_);  // huge before output_
  return std::ranges::any_of(written_, [offset](const guard::Part& part) {
    return part.offset <= offset && offset - part.offset < part.bytes;
  });
}

void EarlyReturnJob::task_ended(schedule::TaskId id) {
  if (guard_ == nullptr || is_own_copy(*schedule_, id)) return;
  for_each_use(schedule_->tasks()[id], Slot::output, [this](guard::Part part) { guard_->end(part); });
  if (may_return_.is_set() || !guard_->are_edges_open()) return;
  may_return_.set();
  sched_yield();  // on a shared core the program would otherwise wait for this thread's time slice to end
}

void EarlyReturnJob::open() {
  if (guard_ != nullptr) guard_->open_all();
  guard_.reset();
  if (!may_return_.is_set()) may_return_.set();
  input_copy_ = {};
  output_copy_ = {};
}

}  // namespace tutti::overlap
