#pragma once
// Table of the closed (protected) memory of this process. Fault handlers, and calls that would pass such memory to the
// kernel, wait for it to open.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Range of one protection, from its first closed page to its last. Changed by one thread at a time.
class ClosedRange {
 public:
  /// Returns nullptr if the table is full or memory is exhausted.
  static std::unique_ptr<ClosedRange> enter(Pages pages);
  ~ClosedRange();
  ClosedRange(const ClosedRange&) = delete;
  ClosedRange& operator=(const ClosedRange&) = delete;

  /// Call before the pages are closed.
  void close(Pages pages);
  /// Call after the pages are open: wakes waiting threads, which check again.
  void open(Pages pages);

 private:
  explicit ClosedRange(size_t slot) : slot_(slot) {}
  void set(Pages pages, uint8_t state);
  friend bool is_everything_open();

  static inline constinit std::atomic<uint32_t> count_{0};  // number of ranges in the table
  size_t slot_;
};

/// Whether no memory is closed: fast check for every call. One load.
inline bool is_everything_open() {
  return ClosedRange::count_.load(std::memory_order_acquire) == 0;
}

/// Waits until none of this memory is closed; returns at once on an owner thread. Returns false if nothing was closed.
/// Any thread, also in a signal handler, which may leave it by longjmp.
bool await_open(const void* memory, uint64_t bytes);
/// Waits until nothing is closed in the buffers that contain this address, from the address on.
void await_buffer_around(const void* address);
/// Waits until no memory of the process is closed.
void await_all_open();

/// Counter that increases whenever memory is opened.
uint32_t open_count();

/// Marks this thread as an owner, which brings the data and therefore never waits for it.
void become_owner();

/// Marks this thread as one whose calls close memory. Its next system calls may depend on the completion of such a
/// call, for example on a file that another process wrote before.
void become_caller();
bool is_caller();

/// Makes this thread an owner for the lifetime of the object; for threads that close memory.
class ActingOwner {
 public:
  ActingOwner();
  ~ActingOwner();
  ActingOwner(const ActingOwner&) = delete;
  ActingOwner& operator=(const ActingOwner&) = delete;

 private:
  bool was_owner_;
};

}  // namespace tutti::overlap::guard
