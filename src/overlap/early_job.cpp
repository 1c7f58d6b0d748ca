#include "overlap/early_job.hpp"

#include <new>
#include <utility>

namespace tutti::overlap {

using base::Result;
using base::Status;
using schedule::Slot;

namespace {

Status copy_aside(const std::byte* buffer, const BufferUses& uses, SendCopy* copy) {
  auto made = SendCopy::of(buffer, uses.bytes, uses.parts);
  if (made) *copy = std::move(*made);
  return made.status();
}

/// By the first mechanism that takes this memory.
Result<std::unique_ptr<guard::Guard>> close(std::byte* buffer, const BufferUses& uses,
                                            std::span<const guard::Mechanism> mechanisms) {
  Status why = Status::not_supported("no mechanism guards memory here");
  for (const guard::Mechanism mechanism : mechanisms) {
    auto guard = guard::Guard::close(buffer, uses.bytes, uses.parts, mechanism);
    if (guard) return guard;
    why = guard.status();
  }
  return why;
}

}  // namespace

Status EarlyJob::step_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                            std::span<const guard::Mechanism> mechanisms) {
  engine::Bindings aside = *bound;
  try {
    Status out_of_the_way = put_output_aside(tasks, &aside, owned.output, mechanisms);
    if (out_of_the_way && !owned.input) out_of_the_way = put_input_aside(tasks, &aside);
    if (!out_of_the_way) {
      guard_.reset();
      return out_of_the_way;
    }
  } catch (const std::bad_alloc&) {
    guard_.reset();
    return {base::Code::out_of_memory, "no memory for a call that returns early"};
  }
  *bound = aside;
  schedule_ = &tasks;
  if (guard_ == nullptr || guard_->are_edges_open()) may_return_.set();
  return {};
}

Status EarlyJob::put_output_aside(const schedule::Schedule& tasks, engine::Bindings* bound, bool is_owned,
                                  std::span<const guard::Mechanism> mechanisms) {
  const BufferUses output = uses_of(tasks, Slot::output);
  if (output.parts.empty() || (is_owned && !output.is_written)) return {};
  if (is_owned) return Status::not_supported("what arrives has to be brought into the program's layout");
  if (!output.is_written) {  // the root of a broadcast
    if (Status copied = copy_aside(bound->output, output, &output_copy_); !copied) return copied;
    bound->output = output_copy_.data();
    return {};
  }
  auto guard = close(bound->output, output, mechanisms);
  if (!guard) return guard.status();
  guard_ = std::move(*guard);
  output_ = bound->output;
  output_bytes_ = output.bytes;
  bound->output = guard_->owners_buffer();
  bound->watcher = this;
  return {};
}

Status EarlyJob::put_input_aside(const schedule::Schedule& tasks, engine::Bindings* bound) {
  const BufferUses input = uses_of(tasks, Slot::input);
  if (input.parts.empty()) return {};
  if (Status copied = copy_aside(bound->input, input, &input_copy_); !copied) return copied;
  bound->input = input_copy_.data();
  return {};
}

void EarlyJob::task_ended(schedule::TaskId id) {
  for_each_use(schedule_->tasks()[id], Slot::output, [this](guard::Part part) { guard_->end(part); });
  if (!may_return_.is_set() && guard_->are_edges_open()) may_return_.set();
}

void EarlyJob::open() {
  if (guard_ != nullptr) guard_->open_all();
  guard_.reset();
  if (!may_return_.is_set()) may_return_.set();
  input_copy_ = {};
  output_copy_ = {};
}

}  // namespace tutti::overlap
