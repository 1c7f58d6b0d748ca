#pragma once
// What calls of the program wait for before they reach the kernel: it refuses memory that is closed to threads (EFAULT,
// or less than was asked for), and a call that is made again after that would do its work twice.

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "overlap/guard/closed_ranges.hpp"

namespace tutti::overlap::calls {

/// Keeps errno. One load where nothing is closed.
inline void await(const void* memory, size_t bytes) {
  if (guard::is_everything_open()) return;
  const int error = errno;
  static_cast<void>(guard::await_open(memory, bytes));
  errno = error;
}

/// What a call is to write: it need not hold anything yet, which compilers doubt where it is passed as const.
inline void await(void* memory, size_t bytes) {
  await(static_cast<const void*>(memory), bytes);
}

inline void await(const iovec* parts, size_t count) {
  if (guard::is_everything_open()) return;
  await(static_cast<const void*>(parts), count * sizeof *parts);
  for (size_t i = 0; parts != nullptr && i < count; ++i) await(parts[i].iov_base, parts[i].iov_len);
}

inline void await(const msghdr* message) {
  if (guard::is_everything_open() || message == nullptr) return;
  await(static_cast<const void*>(message), sizeof *message);
  await(message->msg_iov, message->msg_iovlen);
  await(message->msg_name, message->msg_namelen);
  await(message->msg_control, message->msg_controllen);
}

inline void await_everything() {
  if (guard::is_everything_open()) return;
  const int error = errno;
  guard::await_all_open();
  errno = error;
}

/// A path, and what it leads to: ranks tell each other of files by collectives. For other threads than those that call
/// them, reading the path is enough: a thread that does waits.
inline void await_path(const char* path) {
  if (guard::is_everything_open() || path == nullptr) return;
  if (guard::is_caller()) return await_everything();
  static_cast<void>(*const_cast<volatile const char*>(path + std::strlen(path)));
}

}  // namespace tutti::overlap::calls
