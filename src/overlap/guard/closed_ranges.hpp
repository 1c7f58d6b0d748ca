#pragma once
// The memory of this process that is closed, for all that has to wait for it: fault handlers, and calls that would
// hand it to the kernel.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Of one cover; from its first closed page to its last. One thread changes it at a time.
class ClosedRange {
 public:
  /// nullptr: there are too many, or no memory.
  static std::unique_ptr<ClosedRange> enter(Pages pages);
  ~ClosedRange();
  ClosedRange(const ClosedRange&) = delete;
  ClosedRange& operator=(const ClosedRange&) = delete;

  /// Before the pages are closed.
  void close(Pages pages);
  /// After they have been opened: whoever waits looks again.
  void open(Pages pages);

 private:
  explicit ClosedRange(size_t slot) : slot_(slot) {}
  void set(Pages pages, uint8_t state);
  friend bool is_everything_open();

  static inline constinit std::atomic<uint32_t> count_{0};  // of all that there are
  size_t slot_;
};

/// No memory is closed: the way out of every call. One load.
inline bool is_everything_open() {
  return ClosedRange::count_.load(std::memory_order_acquire) == 0;
}

/// Waits until none of this memory is closed; at once on a thread of the owner. False: it was not closed. Any thread,
/// also in a signal handler; a handler that leaves by longjmp does no harm.
bool await_open(const void* memory, uint64_t bytes);
/// Waits until nothing is closed of the buffers in which this address lies.
void await_buffer_around(const void* address);
/// The same for all memory.
void await_all_open();

/// How often memory has been opened.
uint32_t open_count();

/// This thread brings the data: it waits for nobody.
void become_owner();

/// This thread makes calls that close memory: what it asks the system next may be what the call was to wait for, such
/// as a file that another process has written before.
void become_caller();
bool is_caller();

/// The owner's way for as long as the object is there, for a thread that closes memory.
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
