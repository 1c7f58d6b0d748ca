#include "node/arena.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/blocked_signals.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "node/arena_control.hpp"

namespace tutti::node {
namespace {

using base::Code;
using base::Result;
using base::Status;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

constexpr std::string_view k_full = "has no {} free";
constexpr std::string_view k_limited = "may not give {} (a limit of this process or container)";
constexpr std::string_view k_file_limited = "may not give {} (ulimit -f)";

constexpr int k_most_attempts = 100;  // debuggers may interrupt some attempts

/// `obstacle`: format string with a placeholder for the size.
Status no_room(uint64_t bytes, std::string_view obstacle) {
  return {Code::out_of_memory, fmt::format("/dev/shm {} (free space, or --set NODE_MEMORY={})",
                                           fmt::format(fmt::runtime(obstacle), base::format_bytes(bytes)),
                                           base::format_bytes(bytes / 4))};
}

/// Sets the size of the object and allocates all its memory.
Status reserve(int fd, uint64_t bytes) {
  // Growing a file beyond this limit raises SIGXFSZ, which would terminate the program.
  rlimit file_size{};
  if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur < bytes)
    return no_room(bytes, k_file_limited);
  // On a signal, kernels before 6.18 restart the allocation, and a profiler's timer may always fire before it
  // ends.
  const base::BlockedSignals uninterrupted;
  int error = EINTR;
  for (int attempt = 0; error == EINTR && attempt < k_most_attempts; ++attempt)
    error = base::reserve_bytes(fd, 0, bytes);
  if (error == ENOSPC || error == ENOMEM || error == EFBIG || error == EDQUOT) {
    return no_room(bytes, error == ENOSPC ? k_full : k_limited);
  }
  if (error != 0) return Status::system("shared memory: cannot reserve " + base::format_bytes(bytes), error);
  return {};
}

Result<std::byte*> map(int fd, uint64_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    const std::string what = "shared memory: cannot map " + base::format_bytes(bytes);
    if (error == ENOMEM) return Status{Code::out_of_memory, what + " (address space limit, see ulimit -v)"};
    return Status::system(what, error);
  }
  return static_cast<std::byte*>(base);
}

}  // namespace

std::string arena_name(uint64_t token, int32_t node) {
  return fmt::format("/tutti-{:016x}-{}", token, node);
}

Arena::Arena(std::string name, std::byte* base, uint64_t bytes, bool is_creator)
    : name_(std::move(name)),
      base_(base),
      bytes_(bytes),
      control_(reinterpret_cast<ArenaControl*>(base)),
      creator_pid_(is_creator ? getpid() : 0) {}

Result<std::unique_ptr<Arena>> Arena::create(const std::string& name, uint32_t process_count,
                                             uint64_t bytes) {
  if (bytes < k_min_bytes || bytes > k_max_bytes) {
    return Status::invalid_argument(fmt::format("shared memory: {} asked for per node; it has to be {} to {}",
                                                base::format_bytes(bytes), base::format_bytes(k_min_bytes),
                                                base::format_bytes(k_max_bytes)));
  }
  bytes = (bytes + k_page_bytes - 1) / k_page_bytes * k_page_bytes;
  const FileDescriptor fd(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (fd.get() < 0) {
    const int error = errno;
    if (error == ENOSPC) return no_room(bytes, k_full);
    return Status::system("shared memory: cannot create /dev/shm" + name, error);
  }
  Status reserved = reserve(fd.get(), bytes);
  Result<std::byte*> base = reserved ? map(fd.get(), bytes) : Result<std::byte*>(reserved);
  if (!base) {
    shm_unlink(name.c_str());
    return base.status();
  }
  std::unique_ptr<Arena> arena(new Arena(name, *base, bytes, true));
  if (Status made = initialise(*base, bytes, process_count); !made) return made;
  return arena;
}

Result<std::unique_ptr<Arena>> Arena::attach(const std::string& name) {
  const FileDescriptor fd(shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0));
  if (fd.get() < 0) {
    const int error = errno;
    if (error == ENOENT)
      return Status::not_found("shared memory: there is no /dev/shm" + name + " on this node");
    return Status::system("shared memory: cannot open /dev/shm" + name, error);
  }
  struct stat file {};
  if (fstat(fd.get(), &file) != 0)
    return Status::system("shared memory: cannot read the size of " + name, errno);
  const auto bytes = static_cast<uint64_t>(file.st_size);
  const Status strange = Status::invalid_argument("shared memory: /dev/shm" + name +
                                                  " was not made by this version of Tutti; use the same "
                                                  "installation on all ranks");
  if (bytes < k_min_bytes) return strange;
  Result<std::byte*> base = map(fd.get(), bytes);
  if (!base) return base.status();
  std::unique_ptr<Arena> arena(new Arena(name, *base, bytes, false));
  const ArenaControl& control = arena->control();
  if (control.magic.load(std::memory_order_acquire) != ArenaControl::k_magic || control.bytes != bytes)
    return strange;
  return arena;
}

void Arena::unlink() {
  if (creator_pid_ == 0 || creator_pid_ != getpid()) return;
  shm_unlink(name_.c_str());
  creator_pid_ = 0;
}

Arena::~Arena() {
  unlink();
  munmap(base_, bytes_);
}

uint32_t Arena::process_count() const {
  return control_->process_count;
}

ProcessRecord& Arena::process(uint32_t index) const {
  return reinterpret_cast<ProcessRecord*>(at(control_->processes))[index];
}

uint64_t Arena::free_bytes() const {
  return control_->free_page_count.load(std::memory_order_relaxed) * k_page_bytes;
}

uint32_t Arena::region_count() const {
  return control_->region_count.load(std::memory_order_relaxed);
}

}  // namespace tutti::node
