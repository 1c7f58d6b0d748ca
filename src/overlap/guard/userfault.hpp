#pragma once
// Wrapper of the kernel's userfaultfd: threads that access a missing page of a watched range wait until a page is
// placed there, and pages move with their contents from one address to another in one step.

#include <cstdint>

#include "base/status.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Which accesses wait.
enum class Reach : uint8_t {
  all,      // also the kernel's: a system call with watched memory waits
  threads,  // only the program's instructions; system calls fail with EFAULT
};

/// Any thread. Errors of all functions: system, with errno.
class Userfault {
 public:
  /// Error: not_supported, with the change that the kernel or the administrator would have to make.
  static base::Result<Userfault> open(Reach reach);
  Userfault(Userfault&& other) noexcept;
  Userfault& operator=(Userfault&&) = delete;
  Userfault(const Userfault&) = delete;
  Userfault& operator=(const Userfault&) = delete;
  ~Userfault();

  base::Status watch(Pages pages) const;
  /// Also wakes the threads that wait there.
  base::Status unwatch(Pages pages) const;
  /// Moves the pages at `from` to `to`, which must be watched and empty, and wakes the threads that wait there. Holes
  /// at `from` stay holes at `to`. After an error the first *moved bytes have moved.
  base::Status move(std::byte* to, std::byte* from, uint64_t bytes, uint64_t* moved) const;
  /// The same by copying page by page, for pages that cannot be moved.
  base::Status copy(std::byte* to, const std::byte* from, uint64_t bytes) const;

  /// File descriptor that is readable while a fault is pending that next_waiting() has not returned yet.
  int descriptor() const { return fd_; }
  /// Address of the next pending fault, or 0 if there is none. Does not block.
  uint64_t next_waiting() const;

 private:
  explicit Userfault(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace tutti::overlap::guard
