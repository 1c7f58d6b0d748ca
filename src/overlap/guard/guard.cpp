#include "overlap/guard/guard.hpp"

#include <pthread.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "overlap/guard/code_memory.hpp"
#include "overlap/guard/unit.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

uint64_t end_of(const Part& part) {
  return part.offset + part.bytes;
}

/// Sorted, with adjacent and overlapping parts merged.
std::vector<Part> runs_of(std::vector<Part> parts) {
  std::ranges::sort(parts, {}, &Part::offset);
  std::vector<Part> runs;
  for (const Part& part : parts) {
    if (part.bytes == 0) continue;
    if (!runs.empty() && part.offset <= end_of(runs.back()))
      runs.back().bytes = std::max(end_of(runs.back()), end_of(part)) - runs.back().offset;
    else
      runs.push_back(part);
  }
  return runs;
}

/// Whether the buffer is on this thread's stack, which may grow into it when the function that owns it has returned.
/// that has returned.
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

std::vector<Part> whole_pages_of(const std::byte* buffer, std::span<const Part> parts) {
  std::vector<Part> whole;
  for (const Part& run : runs_of({parts.begin(), parts.end()})) {
    const uint64_t lead = number_of(buffer) % page_bytes();  // offset of the buffer in its first page
    const uint64_t begin = (lead + run.offset + page_bytes() - 1) / page_bytes() * page_bytes();
    const uint64_t end = (lead + run.offset + run.bytes) / page_bytes() * page_bytes();
    if (begin < end) whole.push_back({begin - lead, end - begin});
  }
  return whole;
}

Guard::Guard(std::byte* buffer, uint64_t bytes) : buffer_(buffer), bytes_(bytes) {}

Result<std::unique_ptr<Guard>> Guard::close(std::byte* buffer, uint64_t bytes, std::span<const Part> uses,
                                            Mechanism mechanism, std::span<const Part> filled) {
  try {
    std::unique_ptr<Guard> guard(new Guard(buffer, bytes));
    guard->count(uses, filled);
    if (guard->closable_.empty()) return Status::not_supported("the buffer has no whole page");
    if (!stops_kernel(mechanism) && is_on_this_stack(buffer))
      return Status::not_supported("the buffer is on the stack, which the kernel uses by itself");
    const Part first = guard->closable_.front(), last = guard->closable_.back();
    const Pages all{buffer + first.offset, last.offset + last.bytes - first.offset};
    if (may_hold_code(all)) return Status::not_supported("the buffer may hold code");
    guard->closed_ = ClosedRange::enter(all);
    if (guard->closed_ == nullptr) return Status{base::Code::out_of_memory, "there are too many guards"};
    auto protection = make_protection(mechanism, pages_around(buffer, bytes));
    if (!protection) return protection.status();
    guard->protection_ = std::move(*protection);
    if (Status closed = guard->close_used(); !closed) return closed;
    become_caller();
    guard->take_edges();
    return guard;
  } catch (const std::bad_alloc&) {
    return Status{base::Code::out_of_memory, "no memory for a guard"};
  }
}

Result<std::unique_ptr<Guard>> Guard::close(std::byte* buffer, uint64_t bytes, std::span<const Part> uses,
                                            std::span<const Mechanism> mechanisms,
                                            std::span<const Part> filled) {
  Status why = Status::not_supported("no mechanism guards memory here");
  for (const Mechanism mechanism : mechanisms) {
    auto guard = close(buffer, bytes, uses, mechanism, filled);
    if (guard) return guard;
    why = guard.status();
  }
  return why;
}

Guard::~Guard() {
  if (protection_ != nullptr) open_all();
}

bool Guard::is_closable(const std::byte* address) const {
  const auto offset = static_cast<uint64_t>(address - buffer_);
  const auto behind = std::ranges::upper_bound(closable_, offset, {}, &Part::offset);
  return behind != closable_.begin() && offset < end_of(*std::prev(behind));
}

/// Units of closable pages end at multiples of unit_bytes(), and around pages that the owner does not use, so that
/// these are delayed as little as possible. The bytes between two runs of closable pages form one edge.
void Guard::divide(std::span<const Part> filled) {
  std::vector<Part> all = used_;
  all.insert(all.end(), filled.begin(), filled.end());
  closable_ = whole_pages_of(buffer_, all);
  std::byte* const end = buffer_ + bytes_;
  for (std::byte* bound = buffer_ - number_of(buffer_) % unit_bytes(); bound < end; bound += unit_bytes())
    if (bound > buffer_ && is_closable(bound)) bounds_.push_back(bound);
  for (const Part& use : used_)
    for (std::byte* const border : {buffer_ + use.offset, buffer_ + end_of(use)})
      for (std::byte* const bound : {page_of(border), page_of(border + page_bytes() - 1)})
        if (bound > buffer_ && bound < end && is_closable(bound)) bounds_.push_back(bound);
  for (const Part& run : closable_)
    bounds_.insert(bounds_.end(), {buffer_ + run.offset, buffer_ + end_of(run)});
  bounds_.insert(bounds_.end(), {buffer_, end});
  std::ranges::sort(bounds_);
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
}

void Guard::count(std::span<const Part> uses, std::span<const Part> filled) {
  used_ = runs_of({uses.begin(), uses.end()});
  divide(filled);
  uses_.assign(bounds_.size() - 1, 0);
  for (const Part& use : uses) {
    if (use.bytes == 0) continue;
    assert(end_of(use) <= bytes_);
    const size_t last = unit_at(buffer_ + end_of(use) - 1);
    for (size_t unit = unit_at(buffer_ + use.offset); unit <= last; ++unit) ++uses_[unit];
  }
}

size_t Guard::unit_at(const std::byte* address) const {
  return static_cast<size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), address) - bounds_.begin()) - 1;
}

/// The pages of consecutive units without edges.
Pages Guard::pages_of(size_t first, size_t end) const {
  return {bounds_[first], static_cast<uint64_t>(bounds_[end] - bounds_[first])};
}

Status Guard::close(size_t first, size_t end) {
  const Pages pages = pages_of(first, end);
  const ActingOwner acting;  // otherwise the wrapped calls that close memory would wait for it
  closed_->close(pages);
  Status closed = protection_->protect(pages);
  if (!closed) closed_->open(pages);
  return closed;
}

/// Pages that the owner does not use stay open.
Status Guard::close_used() {
  bool is_any = false;
  for (size_t unit = 0; unit < uses_.size();) {
    size_t end = unit;
    while (end < uses_.size() && uses_[end] > 0 && !is_edge(end)) ++end;
    if (end > unit) {
      if (Status closed = close(unit, end); !closed) {
        std::fill(uses_.begin() + static_cast<ptrdiff_t>(unit), uses_.end(), 0);
        forget_edges();
        return closed;
      }
      is_any = true;
    }
    unit = std::max(unit + 1, end);
  }
  if (is_any) return {};
  forget_edges();
  return Status::not_supported("no whole page of the buffer is used");
}

/// For errors: no data was brought to the edges.
void Guard::forget_edges() {
  for (size_t unit = 0; unit < uses_.size(); ++unit)
    if (is_edge(unit)) uses_[unit] = 0;
}

/// Visits only the bytes that the owner uses; other bytes belong to the program.
template <class Visit>
void Guard::for_each_used_part_of(size_t unit, Visit visit) const {
  const auto begin = static_cast<uint64_t>(bounds_[unit] - buffer_);
  const auto end = static_cast<uint64_t>(bounds_[unit + 1] - buffer_);
  auto part = std::ranges::upper_bound(used_, begin, {}, &end_of);
  for (; part != used_.end() && part->offset < end; ++part) {
    const uint64_t from = std::max(begin, part->offset);
    visit(from, std::min(end, end_of(*part)) - from);
  }
}

/// Copies the current contents of the edges to the owner.
void Guard::take_edges() {
  std::byte* const owners = owners_buffer();
  for (size_t unit = 0; unit < uses_.size(); ++unit) {
    if (uses_[unit] == 0 || !is_edge(unit)) continue;
    if (owners != buffer_)
      for_each_used_part_of(unit, [&](uint64_t offset, uint64_t bytes) {
        std::memcpy(owners + offset, buffer_ + offset, bytes);
      });
    open_edges_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Guard::open_edge(size_t unit) {
  const std::byte* const owners = owners_buffer();
  if (owners != buffer_)
    for_each_used_part_of(unit, [&](uint64_t offset, uint64_t bytes) {
      std::memcpy(buffer_ + offset, owners + offset, bytes);
    });
  open_edges_.fetch_sub(1, std::memory_order_release);
}

/// Opens units without pending uses.
void Guard::open(size_t first, size_t end) {
  const ActingOwner acting;
  while (first < end) {
    size_t next = first;
    while (next < end && !is_edge(next)) ++next;
    if (next > first) {
      protection_->unprotect(pages_of(first, next));
      closed_->open(pages_of(first, next));
    }
    if (next < end) open_edge(next++);
    first = next;
  }
}

void Guard::end(Part use) {
  if (use.bytes == 0) return;
  const size_t last = unit_at(buffer_ + end_of(use) - 1);
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
