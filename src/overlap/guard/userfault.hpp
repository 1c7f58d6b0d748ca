#pragma once
// The kernel's userfaultfd, as far as guards need it: threads that touch a missing page of a watched range wait until
// somebody puts a page there, and pages with their contents move from one place to another in one step.

#include <cstdint>

#include "base/status.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Whose accesses wait.
enum class Reach : uint8_t {
  everybody,  // the kernel's, too: a system call that is given watched memory waits
  threads,    // the program's instructions; system calls fail with EFAULT
};

/// Any thread. Errors of all functions: system, with errno.
class Userfault {
 public:
  /// Error: not_supported, with what the kernel or the administrator would have to change.
  static base::Result<Userfault> open(Reach reach);
  Userfault(Userfault&& other) noexcept;
  Userfault& operator=(Userfault&&) = delete;
  Userfault(const Userfault&) = delete;
  Userfault& operator=(const Userfault&) = delete;
  ~Userfault();

  base::Status watch(Pages pages) const;
  /// Whoever waits there goes on.
  base::Status unwatch(Pages pages) const;
  /// Moves the pages at `from` to `to`, which is watched and empty, and lets go on who waits there. Where `from` has no
  /// page, `to` has none afterwards. An error leaves the first *moved bytes moved.
  base::Status move(std::byte* to, std::byte* from, uint64_t bytes, uint64_t* moved) const;
  /// The same with a copy, one page after the other, for pages that cannot be moved.
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
