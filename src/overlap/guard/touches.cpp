#include "overlap/guard/touches.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "overlap/guard/userfault_protection.hpp"

// The C library's internal names, not Tutti's wrappers (calls/), which would wait for closed memory themselves.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" ssize_t __write(int fd, const void* data, size_t bytes);
extern "C" ssize_t __read(int fd, void* data, size_t bytes);
extern "C" int __poll(struct pollfd* descriptors, nfds_t count, int timeout_ms);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

constexpr int k_nobody = -1;
std::atomic<int> listener{k_nobody};

/// Writes of an address to a pipe are atomic, and block while the pipe is full.
void put(int writer, uint64_t address) {
  while (__write(writer, &address, sizeof address) < 0 && errno == EINTR) continue;
}

}  // namespace

void tell_touch(uint64_t address) {
  const int writer = listener.load(std::memory_order_acquire);
  if (writer != k_nobody) put(writer, address);
}

Result<TouchListener*> TouchListener::get() {
  static const auto& one = *new Result<TouchListener*>([]() -> Result<TouchListener*> {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return Status::system("no pipe", errno);
    return new TouchListener(ends[0], ends[1]);
  }());  // not destroyed by exit handlers
  return one;
}

// NOLINTNEXTLINE(readability-make-member-function-const): there is one listener, and this changes it
void TouchListener::listen() {
  if (listener.exchange(writer_, std::memory_order_seq_cst) == k_nobody) put(writer_, 0);
}

// NOLINTNEXTLINE(readability-make-member-function-const): as listen()
void TouchListener::ignore() {
  if (listener.exchange(k_nobody, std::memory_order_seq_cst) != k_nobody) put(writer_, 0);
}

uint64_t TouchListener::next() {
  for (;;) {
    const bool listens = listener.load(std::memory_order_seq_cst) != k_nobody;
    std::array<pollfd, 3> sources{pollfd{.fd = reader_, .events = POLLIN, .revents = 0}};
    nfds_t count = 1;
    for (const Reach reach : {Reach::all, Reach::threads})
      if (const Result<Userfault>& kernel = userfault(reach); listens && kernel)
        sources[count++] = {.fd = kernel->descriptor(), .events = POLLIN, .revents = 0};
    if (__poll(sources.data(), count, -1) < 0) continue;
    if (const uint64_t address = listens ? next_waiting() : 0; address != 0) return address;
    uint64_t address = 0;
    if ((sources[0].revents & POLLIN) != 0 && __read(reader_, &address, sizeof address) == sizeof address &&
        address != 0)
      return address;
  }
}

/// Address of the next thread that waits in the kernel; 0: none.
uint64_t TouchListener::next_waiting() const {
  for (const Reach reach : {Reach::all, Reach::threads})
    if (const Result<Userfault>& kernel = userfault(reach); kernel)
      if (const uint64_t address = kernel->next_waiting(); address != 0) return address;
  return 0;
}

}  // namespace tutti::overlap::guard
