#include "overlap/guard/guard.hpp"

#include <pthread.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "overlap/guard/unit.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

Pages whole_pages_in(std::byte* buffer, uint64_t bytes) {
  std::byte* const begin = page_of(buffer + page_bytes() - 1);
  std::byte* const end = page_of(buffer + bytes);
  return begin < end ? Pages{begin, static_cast<uint64_t>(end - begin)} : Pages{begin, 0};
}

/// The stack may grow into a buffer of a function that has returned.
bool is_on_this_stack(const std::byte* buffer) {
  thread_local const std::byte* const top = [] {
    pthread_attr_t about;
    void* lowest = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &about) != 0) return static_cast<std::byte*>(nullptr);
    pthread_attr_getstack(&about, &lowest, &bytes);
    pthread_attr_destroy(&about);
    return static_cast<std::byte*>(lowest) + bytes;
  }();
  return buffer >= static_cast<const std::byte*>(__builtin_frame_address(0)) && buffer < top;
}

}  // namespace

Guard::Guard(std::byte* buffer, uint64_t bytes)
    : buffer_(buffer), bytes_(bytes), inner_(whole_pages_in(buffer, bytes)) {}

Result<std::unique_ptr<Guard>> Guard::close(std::byte* buffer, uint64_t bytes, std::span<const Part> uses,
                                            Mechanism mechanism) {
  try {
    std::unique_ptr<Guard> guard(new Guard(buffer, bytes));
    if (guard->inner_.is_empty()) return Status::not_supported("the buffer has no whole page");
    if (!stops_kernel(mechanism) && is_on_this_stack(buffer))
      return Status::not_supported("the buffer is on the stack, which the kernel uses by itself");
    guard->closed_ = ClosedRange::enter(guard->inner_);
    if (guard->closed_ == nullptr) return Status{base::Code::out_of_memory, "there are too many guards"};
    auto cover = make_cover(mechanism, pages_around(buffer, bytes));
    if (!cover) return cover.status();
    guard->count(uses);
    guard->cover_ = std::move(*cover);
    if (Status closed = guard->close_used(); !closed) return closed;
    become_caller();
    guard->take_edge(0);
    guard->take_edge(guard->tail());
    return guard;
  } catch (const std::bad_alloc&) {
    return Status{base::Code::out_of_memory, "no memory for a guard"};
  }
}

Result<std::unique_ptr<Guard>> Guard::close(std::byte* buffer, uint64_t bytes, std::span<const Part> uses,
                                            std::span<const Mechanism> mechanisms) {
  Status why = Status::not_supported("no mechanism guards memory here");
  for (const Mechanism mechanism : mechanisms) {
    auto guard = close(buffer, bytes, uses, mechanism);
    if (guard) return guard;
    why = guard.status();
  }
  return why;
}

Guard::~Guard() {
  if (cover_ != nullptr) open_all();
}

/// Units end at multiples of unit_bytes(), and around what nobody uses and the pages that are used in part: what lies
/// there is held up as little as can be.
void Guard::divide(std::span<const Part> uses) {
  bounds_ = {inner_.begin, inner_.end()};
  for (std::byte* bound = inner_.begin - number_of(inner_.begin) % unit_bytes(); bound < inner_.end();
       bound += unit_bytes())
    if (bound > inner_.begin) bounds_.push_back(bound);
  std::vector<Part> sorted(uses.begin(), uses.end());
  std::ranges::sort(sorted, {}, &Part::offset);
  sorted.push_back({bytes_, 0});
  uint64_t used = 0;  // up to here there is no gap that has not been looked at
  for (const Part& use : sorted) {
    if (use.offset > used) {
      const Pages around = pages_around(buffer_ + used, use.offset - used);
      const Pages inside = whole_pages_in(buffer_ + used, use.offset - used);
      bounds_.insert(bounds_.end(), {around.begin, around.end()});
      if (!inside.is_empty()) bounds_.insert(bounds_.end(), {inside.begin, inside.end()});
    }
    used = std::max(used, use.offset + use.bytes);
  }
  std::erase_if(bounds_,
                [this](const std::byte* bound) { return bound < inner_.begin || bound > inner_.end(); });
  std::ranges::sort(bounds_);
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
}

void Guard::count(std::span<const Part> uses) {
  divide(uses);
  uses_.assign(bounds_.size() + 1, 0);
  for (const Part& use : uses) {
    if (use.bytes == 0) continue;
    assert(use.offset + use.bytes <= bytes_);
    const size_t last = unit_at(buffer_ + use.offset + use.bytes - 1);
    for (size_t unit = unit_at(buffer_ + use.offset); unit <= last; ++unit) ++uses_[unit];
  }
}

size_t Guard::unit_at(const std::byte* address) const {
  if (address < inner_.begin) return 0;
  return static_cast<size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), address) - bounds_.begin());
}

/// Of units between the edges.
Pages Guard::pages_of(size_t unit) const {
  return {bounds_[unit - 1], static_cast<uint64_t>(bounds_[unit] - bounds_[unit - 1])};
}

Status Guard::close(size_t first, size_t end) {
  std::byte* const begin = pages_of(first).begin;
  const Pages pages{begin, static_cast<uint64_t>(pages_of(end - 1).end() - begin)};
  const ActingOwner acting;  // the calls that close memory would wait for it
  closed_->close(pages);
  Status closed = cover_->close(pages);
  if (!closed) closed_->open(pages);
  return closed;
}

/// What the owner leaves alone stays the program's.
Status Guard::close_used() {
  bool is_any = false;
  for (size_t unit = 1; unit < tail();) {
    size_t end = unit;
    while (end < tail() && uses_[end] > 0) ++end;
    if (end > unit) {
      if (Status closed = close(unit, end); !closed) {
        uses_[0] = 0;  // only the units between have been closed
        std::fill(uses_.begin() + static_cast<ptrdiff_t>(unit), uses_.end(), 0);
        return closed;
      }
      is_any = true;
    }
    unit = end + 1;
  }
  if (is_any) return {};
  uses_[0] = uses_[tail()] = 0;
  return Status::not_supported("no whole page of the buffer is used");
}

Part Guard::edge(size_t unit) const {
  if (unit == 0) return {0, static_cast<uint64_t>(inner_.begin - buffer_)};
  const auto before = static_cast<uint64_t>(inner_.end() - buffer_);
  return {before, bytes_ - before};
}

/// The owner begins with what an edge contains.
void Guard::take_edge(size_t unit) {
  if (uses_[unit] == 0) return;
  const Part part = edge(unit);
  std::byte* const target = owners_buffer() + part.offset;
  if (target != buffer_ + part.offset) std::memcpy(target, buffer_ + part.offset, part.bytes);
  open_edges_.fetch_add(1, std::memory_order_relaxed);
}

void Guard::open_edge(size_t unit) {
  const Part part = edge(unit);
  const std::byte* const source = owners_buffer() + part.offset;
  if (source != buffer_ + part.offset) std::memcpy(buffer_ + part.offset, source, part.bytes);
  open_edges_.fetch_sub(1, std::memory_order_release);
}

/// Units whose uses have all ended.
void Guard::open(size_t first, size_t end) {
  const ActingOwner acting;
  if (first == 0) open_edge(first++);
  const bool has_tail = end > tail();
  if (has_tail) --end;
  if (first < end) {
    std::byte* const begin = pages_of(first).begin;
    const Pages pages{begin, static_cast<uint64_t>(pages_of(end - 1).end() - begin)};
    cover_->open(pages);
    closed_->open(pages);
  }
  if (has_tail) open_edge(tail());
}

void Guard::end(Part use) {
  if (use.bytes == 0) return;
  const size_t last = unit_at(buffer_ + use.offset + use.bytes - 1);
  size_t first_done = 0, done = 0;
  for (size_t unit = unit_at(buffer_ + use.offset); unit <= last; ++unit) {
    assert(uses_[unit] > 0);
    if (--uses_[unit] == 0) {
      if (done++ == 0) first_done = unit;
    } else if (done > 0) {
      open(first_done, unit);
      done = 0;
    }
  }
  if (done > 0) open(first_done, last + 1);
}

void Guard::open_all() {
  for (size_t unit = 0; unit < uses_.size();) {
    size_t end = unit;
    while (end < uses_.size() && uses_[end] > 0) uses_[end++] = 0;
    if (end > unit) open(unit, end);
    unit = end + 1;
  }
}

}  // namespace tutti::overlap::guard
