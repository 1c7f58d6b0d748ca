#include "overlap/guard/userfault.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

// The C library's internal name, not Tutti's wrapper (calls/), which would wait for closed memory itself.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" ssize_t __read(int fd, void* data, size_t bytes);

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

// Missing in headers older than Linux 6.8.
constexpr uint64_t k_feature_move = uint64_t{1} << 16;
constexpr int k_user_mode_only = 1;
constexpr uint64_t k_allow_holes = uint64_t{1} << 1;
struct Move {
  uint64_t to, from, bytes, mode;
  int64_t moved;
};
constexpr unsigned long k_move = _IOWR(UFFDIO, 0x05, Move);
constexpr unsigned long k_new_descriptor = _IO(0xAA, 0x00);  // of /dev/userfaultfd

int new_descriptor(Reach reach) {
  const int flags = O_CLOEXEC | O_NONBLOCK | (reach == Reach::threads ? k_user_mode_only : 0);
  if (const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC); device >= 0) {
    const int fd = ioctl(device, k_new_descriptor, flags);
    close(device);
    if (fd >= 0) return fd;
  }
  return static_cast<int>(syscall(SYS_userfaultfd, flags));
}

Status failure(const char* what) {
  return Status::system(std::string("userfaultfd: ") + what, errno);
}

}  // namespace

Result<Userfault> Userfault::open(Reach reach) {
  const int fd = new_descriptor(reach);
  if (fd < 0) {
    if (errno == EPERM || errno == EACCES)
      return Status::not_supported(
          "userfaultfd is for the administrator alone here (vm.unprivileged_userfaultfd=1, or rights on "
          "/dev/userfaultfd, would permit it to every user)");
    return Status::not_supported(failure("the kernel refuses").message());
  }
  Userfault made(fd);
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = k_feature_move;
  if (ioctl(fd, UFFDIO_API, &api) != 0)
    return Status::not_supported("userfaultfd cannot move pages here (it takes Linux 6.8)");
  return made;
}

Userfault::Userfault(Userfault&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Userfault::~Userfault() {
  if (fd_ >= 0) close(fd_);
}

Status Userfault::watch(Pages pages) const {
  uffdio_register request{};
  request.range = {.start = number_of(pages.begin), .len = pages.bytes};
  request.mode = UFFDIO_REGISTER_MODE_MISSING;
  return ioctl(fd_, UFFDIO_REGISTER, &request) == 0 ? Status() : failure("this memory cannot be watched");
}

Status Userfault::unwatch(Pages pages) const {
  uffdio_range range{.start = number_of(pages.begin), .len = pages.bytes};
  Status status =
      ioctl(fd_, UFFDIO_UNREGISTER, &range) == 0 ? Status() : failure("this memory stays watched");
  // UFFDIO_UNREGISTER wakes waiting threads before it takes the lock of the mapping. A thread may begin to wait in
  // between (Linux 6.18 with per-VMA locks), and would never be woken.
  static_cast<void>(ioctl(fd_, UFFDIO_WAKE, &range));
  return status;
}

Status Userfault::move(std::byte* to, std::byte* from, uint64_t bytes, uint64_t* moved) const {
  *moved = 0;
  while (*moved < bytes) {
    Move request{.to = number_of(to) + *moved,
                 .from = number_of(from) + *moved,
                 .bytes = bytes - *moved,
                 .mode = k_allow_holes,
                 .moved = 0};
    const bool is_done = ioctl(fd_, k_move, &request) == 0;
    const int error = errno;
    if (request.moved > 0) *moved += static_cast<uint64_t>(request.moved);
    if (is_done) return {};
    // Another thread holds the lock of a page, or changes the process's mappings.
    if (error == EAGAIN) {
      if (request.moved <= 0) sched_yield();
      continue;
    }
    errno = error;
    return failure("these pages cannot be moved");
  }
  return {};
}

Status Userfault::copy(std::byte* to, const std::byte* from, uint64_t bytes) const {
  for (uint64_t done = 0; done < bytes; done += page_bytes()) {
    uffdio_copy request{};
    request.dst = number_of(to) + done;
    request.src = number_of(from) + done;
    request.len = page_bytes();
    while (ioctl(fd_, UFFDIO_COPY, &request) != 0) {
      if (errno == EEXIST) break;  // already moved
      if (errno != EAGAIN) return failure("these pages cannot be copied");
      sched_yield();
      request.copy = 0;
    }
  }
  return {};
}

uint64_t Userfault::next_waiting() const {
  uffd_msg message{};
  while (__read(fd_, &message, sizeof message) == static_cast<ssize_t>(sizeof message))
    if (message.event == UFFD_EVENT_PAGEFAULT) return message.arg.pagefault.address;
  return 0;
}

}  // namespace tutti::overlap::guard
