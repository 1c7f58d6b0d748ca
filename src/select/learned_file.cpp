// The file of learned rules: locked, read, merged, written beside, renamed.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "select/learned.hpp"

namespace tutti::select {

using base::Result;
using base::Status;

namespace {

constexpr long k_nap_ns = 5'000'000;

/// A file descriptor that is closed in the end.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Status failed(const std::string& what) {
  return Status::system(what, errno);
}

/// Locks for as long as the descriptor is open. The lock belongs to the open file, not to the process:
/// threads exclude each other too.
Status lock(const File& file, const std::string& name, uint64_t patience_ns) {
  const uint64_t start_ns = base::monotonic_ns();
  for (;;) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    if (::fcntl(file.get(), F_OFD_SETLK, &whole) == 0) return {};
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return failed("cannot lock " + name);
    if (base::monotonic_ns() - start_ns > patience_ns)
      return Status::system("others keep " + name + " locked", ETIMEDOUT);
    const timespec nap{.tv_sec = 0, .tv_nsec = k_nap_ns};
    ::nanosleep(&nap, nullptr);
  }
}

/// The file's rules; none where there is no file, or nothing in it yet.
Result<std::vector<Rule>> present_rules(const std::string& name) {
  struct stat status;
  if (::stat(name.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::vector<Rule>{};
    return failed("rules file " + name);
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0) return std::vector<Rule>{};
  return load_rules(name);
}

}  // namespace

Status save_learned(const std::string& file_name, std::span<const Rule> learned, uint64_t patience_ns) {
  if (learned.empty()) return {};
  const auto path = base::output_path(file_name);
  if (!path) return path.status();
  const std::string& name = *path;
  const std::string lock_name = name + ".lock";
  const File lock_file(::open(lock_name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock_file.get() < 0) return failed("cannot open " + lock_name);
  if (Status status = lock(lock_file, lock_name, patience_ns); !status) return status;
  auto known = present_rules(name);
  if (!known) return known.status();
  return base::replace_file(name, format_rules(merged(std::move(*known), learned)));
}

}  // namespace tutti::select
