// Updates the file of learned rules: lock, read, merge, write to a new file, rename.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "select/learned.hpp"

namespace tutti::select {

using base::Result;
using base::Status;

namespace {

constexpr long k_nap_ns = 5'000'000;

/// A file descriptor that the destructor closes.
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

/// Locks until the descriptor is closed. The lock belongs to the open file description, not to the process, so threads
/// exclude each other too.
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

/// The rules in the file; empty if the file does not exist or is empty.
Result<std::vector<Rule>> present_rules(const std::string& name) {
  struct stat status;
  if (::stat(name.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::vector<Rule>{};
    return failed("rules file " + name);
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0) return std::vector<Rule>{};
  return load_rules(name);
}

std::string lock_name_of(const std::string& path) {
  return path + ".lock";
}

Status not_a_file(const std::string& lock_name) {
  return Status::invalid_argument(lock_name + " is not a regular file; remove it");
}

/// Every user who may replace the rules file in its folder must be able to lock it, whatever the umask of the user who
/// created the lock file, which is empty. In a sticky folder like /tmp only the owner may replace a file.
void share_lock(int fd, const std::string& lock_name) {
  const std::filesystem::path parent = std::filesystem::path(lock_name).parent_path();
  struct stat folder, file;
  if (::stat(parent.empty() ? "." : parent.c_str(), &folder) != 0 || ::fstat(fd, &file) != 0) return;
  if ((folder.st_mode & S_ISVTX) != 0) return;
  mode_t mode = file.st_mode & 0777;
  const bool is_of_group =
      file.st_gid == folder.st_gid || ::fchown(fd, static_cast<uid_t>(-1), folder.st_gid) == 0;
  if ((folder.st_mode & S_IWGRP) != 0 && is_of_group) mode |= S_IRGRP | S_IWGRP;
  if ((folder.st_mode & S_IWOTH) != 0) mode |= S_IROTH | S_IWOTH;
  static_cast<void>(::fchmod(fd, mode) == 0);
}

/// Returns the open lock file, or -1 with errno. A plain O_CREAT would fail for files of other users
/// (fs.protected_regular), which may be shared locks.
int open_lock(const std::string& lock_name) {
  constexpr int k_flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  constexpr int k_attempts = 100;
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    int fd = ::open(lock_name.c_str(), k_flags);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = ::open(lock_name.c_str(), k_flags | O_CREAT | O_EXCL, 0666);
    if (fd >= 0) share_lock(fd, lock_name);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

Status check_learnable(const std::string& file_name) {
  if (Status status = base::check_replaceable(file_name); !status) return status;
  const auto path = base::output_path(file_name);
  if (!path) return path.status();
  if (const auto known = present_rules(*path); !known) return known.status();
  const std::string lock_name = lock_name_of(*path);
  struct stat lock;
  if (::lstat(lock_name.c_str(), &lock) != 0)
    return errno == ENOENT ? Status{} : failed("cannot lock " + lock_name);
  if (!S_ISREG(lock.st_mode)) return not_a_file(lock_name);
  if (::faccessat(AT_FDCWD, lock_name.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
    return failed("cannot lock " + lock_name);
  return {};
}

Status save_learned(const std::string& file_name, std::span<const Rule> learned, uint64_t patience_ns) {
  if (learned.empty()) return {};
  const auto path = base::output_path(file_name);
  if (!path) return path.status();
  const std::string& name = *path;
  const std::string lock_name = lock_name_of(name);
  const File lock_file(open_lock(lock_name));
  if (lock_file.get() < 0) return errno == ELOOP ? not_a_file(lock_name) : failed("cannot lock " + lock_name);
  struct stat about;
  if (::fstat(lock_file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return not_a_file(lock_name);
  if (Status status = lock(lock_file, lock_name, patience_ns); !status) return status;
  auto known = present_rules(name);
  if (!known) return known.status();
  return base::replace_file(name, format_rules(merged(std::move(*known), learned)));
}

}  // namespace tutti::select
