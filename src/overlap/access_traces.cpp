#include "overlap/access_traces.hpp"

#include <pthread.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/helper_thread.hpp"
#include "overlap/guard/closed_ranges.hpp"
#include "overlap/guard/pages.hpp"
#include "overlap/guard/unit.hpp"

namespace tutti::overlap {

using base::Result;
using base::Status;
using guard::Guard;
using guard::Part;

namespace {

uint64_t end_of_part(const Part& part) {
  return part.offset + part.bytes;
}

uint64_t end_of(std::span<const Part> parts) {
  uint64_t end = 0;
  for (const Part& part : parts) end = std::max(end, end_of_part(part));
  return end;
}

/// The sub-parts that a guard can close: other pages also hold other data.
std::vector<Part> inner_parts(const std::byte* buffer, std::span<const Part> parts) {
  const std::vector<Part> pages = guard::whole_pages_of(buffer, parts);
  std::vector<Part> inner(parts.size());
  for (size_t i = 0; i < parts.size(); ++i)
    for (auto run = std::ranges::upper_bound(pages, parts[i].offset, {}, &end_of_part);
         run != pages.end() && run->offset < end_of_part(parts[i]) && inner[i].bytes == 0; ++run) {
      const uint64_t begin = std::max(run->offset, parts[i].offset);
      inner[i] = {begin, std::min(end_of_part(*run), end_of_part(parts[i])) - begin};
    }
  return inner;
}

}  // namespace

AccessTraces& AccessTraces::of_process() {
  static auto* const one = new AccessTraces;
  return *one;
}

Status AccessTraces::begin(std::byte* buffer, std::span<const Part> parts,
                           std::span<const guard::Mechanism> mechanisms, Ended ended) {
  const std::lock_guard lock(mutex_);
  if (Status started = start_watching(); !started) return started;
  try {
    Trace trace{.buffer = buffer, .parts = inner_parts(buffer, parts), .ended = std::move(ended)};
    trace.first_use_ns.assign(parts.size(), k_never);
    traces_.push_back(std::move(trace));
  } catch (const std::bad_alloc&) {
    return {base::Code::out_of_memory, "no memory for a trace"};
  }
  listener_->listen();
  Trace& trace = traces_.back();
  auto guard = Guard::close(buffer, end_of(parts), trace.parts, mechanisms);
  if (!guard) {
    traces_.pop_back();
    return guard.status();
  }
  trace.guard = std::move(*guard);
  trace.start_ns = base::monotonic_ns();
  are_some_.set(true);
  count_.fetch_add(1, std::memory_order_release);
  return {};
}

void AccessTraces::end_all() {
  const std::lock_guard lock(mutex_);
  if (traces_.empty()) return;
  for (Trace& trace : traces_) {
    trace.guard.reset();
    trace.ended(std::move(trace.first_use_ns));
  }
  traces_.clear();
  listener_->ignore();
  count_.store(0, std::memory_order_release);
  are_some_.set(false);
}

/// Starts the thread on first use; it runs until the process ends.
Status AccessTraces::start_watching() {
  if (listener_ != nullptr) return {};
  const Result<guard::TouchListener*> listener = guard::TouchListener::get();
  if (!listener) return listener.status();
  listener_ = *listener;
  pthread_t thread{};
  Status started = base::start_helper_thread("tutti-touches", nullptr, watch, this, &thread);
  if (started)
    pthread_detach(thread);
  else
    listener_ = nullptr;
  return started;
}

void* AccessTraces::watch(void* traces) {
  guard::become_owner();
  auto* const self = static_cast<AccessTraces*>(traces);
  for (;;) self->touched(self->listener_->next());
}

void AccessTraces::touched(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const uint64_t now_ns = base::monotonic_ns();
  for (Trace& trace : traces_)
    if (address >= guard::number_of(trace.buffer))
      touched(trace, address - guard::number_of(trace.buffer), now_ns);
}

/// Ends all parts in the same unit of the guard, which opens with the last of them.
void AccessTraces::touched(Trace& trace, uint64_t offset, uint64_t now_ns) {
  const uint64_t lead = guard::number_of(trace.buffer) % guard::unit_bytes();
  const uint64_t unit = (lead + offset) / guard::unit_bytes();
  for (size_t i = 0; i < trace.parts.size(); ++i) {
    const Part& part = trace.parts[i];
    if (part.bytes == 0 || trace.first_use_ns[i] != k_never) continue;
    if ((lead + part.offset) / guard::unit_bytes() > unit ||
        (lead + part.offset + part.bytes - 1) / guard::unit_bytes() < unit)
      continue;
    trace.first_use_ns[i] = now_ns - trace.start_ns;
    trace.guard->end(part);
  }
}

}  // namespace tutti::overlap
