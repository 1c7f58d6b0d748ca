// Resolves output names, and replaces files atomically.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/random.hpp"

namespace tutti::base {

namespace fs = std::filesystem;

namespace {

constexpr mode_t k_new_file_mode = 0666;     // reduced by the umask
constexpr mode_t k_kept_permissions = 0777;  // without set-user-ID, because the contents are not its owner's

/// The object that a name refers to.
struct OutputTarget {
  enum class Kind : uint8_t { file, folder, other, descriptor };
  Kind kind = Kind::file;
  std::string path;       // without symbolic links as last component
  int descriptor = -1;    // Kind::descriptor
  bool is_there = false;  // Kind::file: an old file exists,
  struct stat old {};     // described here
};

Status cannot_write(const std::string& name, int error) {
  return Status::system("cannot write " + name, error);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// N for /proc/self/fd/N and its aliases, otherwise -1.
int own_descriptor(const fs::path& path) {
  const std::string name = path.filename();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 0) return -1;
  std::error_code none;
  const fs::path folder = fs::canonical(folder_of(path), none);
  return folder == "/proc/" + std::to_string(getpid()) + "/fd" ? number : -1;
}

/// In a world-writable sticky folder only links of this user and of the folder's owner are followed.
bool may_follow(const struct stat& link, const fs::path& path) {
  struct stat folder {};
  if (stat(folder_of(path).c_str(), &folder) != 0) return false;
  const bool is_everyones = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return !is_everyones || link.st_uid == geteuid() || link.st_uid == folder.st_uid;
}

Result<OutputTarget> place_of(const std::string& name) {
  constexpr int k_most_links = 40;  // the kernel's limit
  fs::path path = name == "-" ? "/dev/stdout" : name;
  for (int followed = 0; followed <= k_most_links; ++followed) {
    OutputTarget place{.path = path};
    if (place.descriptor = own_descriptor(path); place.descriptor >= 0) {
      place.kind = OutputTarget::Kind::descriptor;
      return place;
    }
    if (lstat(path.c_str(), &place.old) != 0) {
      if (errno == ENOENT) return place;  // a missing folder is reported when the file is created
      return cannot_write(name, errno);
    }
    if (!S_ISLNK(place.old.st_mode)) {
      place.is_there = true;
      if (S_ISDIR(place.old.st_mode))
        place.kind = OutputTarget::Kind::folder;
      else if (!S_ISREG(place.old.st_mode))
        place.kind = OutputTarget::Kind::other;
      return place;
    }
    if (!may_follow(place.old, path))
      return Status::invalid_argument("cannot write " + name + ": " + path.string() +
                                      " is a link of another user in a folder where everyone may write");
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return cannot_write(name, error.value());
    path = folder_of(path) / target;  // an absolute target replaces the folder
  }
  return cannot_write(name, ELOOP);
}

/// While it exists, this thread's writes do not end the process by a signal.
class SigpipeBlocker {
 public:
  SigpipeBlocker() {
    sigemptyset(&signals_);
    for (const int signal : {SIGXFSZ, SIGPIPE}) sigaddset(&signals_, signal);
    sigpending(&pending_before_);
    pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  }
  /// Consumes the signals that the writes have raised.
  ~SigpipeBlocker() {
    sigset_t pending;
    sigpending(&pending);
    for (const int signal : {SIGXFSZ, SIGPIPE}) {
      if (sigismember(&pending, signal) == 0 || sigismember(&pending_before_, signal) == 1) continue;
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, signal);
      const timespec at_once{};
      sigtimedwait(&one, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  SigpipeBlocker(const SigpipeBlocker&) = delete;
  SigpipeBlocker& operator=(const SigpipeBlocker&) = delete;

 private:
  sigset_t signals_, pending_before_, mask_before_;
};

/// Returns 0 or an errno value.
int write_all(int fd, std::string_view text) {
  const SigpipeBlocker quiet;
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (count < 0 && errno == EAGAIN) {  // a pipe that another process has made nonblocking
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Also closes the descriptor. Returns 0, or the errno value of the first failure.
int write_and_close(int fd, std::string_view text) {
  const int error = write_all(fd, text);
  const bool is_closed = close(fd) == 0;
  return error != 0 || is_closed ? error : errno;
}

int write_into(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  return fd < 0 ? errno : write_and_close(fd, text);
}

/// Creates a file beside `place`, and stores its name in *path. Returns the descriptor, or -1 with errno.
int create_beside(const OutputTarget& place, std::string* path) {
  constexpr int k_attempts = 100;
  constexpr uint32_t k_most_number = 1'000'000'000;
  const mode_t mode = place.is_there ? place.old.st_mode & k_kept_permissions : k_new_file_mode;
  Random random(monotonic_ns() ^ (static_cast<uint64_t>(getpid()) << 40));
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    *path = place.path + '.' + std::to_string(random.below(k_most_number)) + ".tmp";
    const int fd = open(path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/// Gives the new file the old one's owner and group, as far as this user may. Returns 0 or an errno value.
int keep_permissions(int fd, const struct stat& old) {
  struct stat fresh {};
  if (fstat(fd, &fresh) != 0) return errno;
  if (fresh.st_gid != old.st_gid) static_cast<void>(fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0);
  if (fresh.st_uid != old.st_uid) static_cast<void>(fchown(fd, old.st_uid, static_cast<gid_t>(-1)) == 0);
  const mode_t wanted = old.st_mode & k_kept_permissions;
  return (fresh.st_mode & k_kept_permissions) == wanted || fchmod(fd, wanted) == 0 ? 0 : errno;
}

/// Makes the new name survive a crash. Returns 0 or an errno value.
int sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;  // a folder may be writable but not readable
  const int error = fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
  close(fd);
  return error;
}

Status replace(const OutputTarget& place, const std::string& name, const std::string& text) {
  std::string temporary;
  const int fd = create_beside(place, &temporary);
  if (fd < 0) return Status::system("cannot write beside " + name, errno);
  int error = write_all(fd, text);
  if (error == 0 && place.is_there) error = keep_permissions(fd, place.old);
  if (error == 0 && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), place.path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  if (error == 0) error = sync_folder(folder_of(place.path));
  return error == 0 ? Status{} : cannot_write(name, error);
}

bool is_permitted(const fs::path& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

/// Checks the permissions of the file and its folder. Returns 0 or an errno value.
int check_file(const OutputTarget& place) {
  const fs::path folder = folder_of(place.path);
  if (!is_permitted(folder, W_OK | X_OK)) return errno;
  if (!place.is_there) return 0;
  if (!is_permitted(place.path, W_OK)) return errno;
  struct stat above {};
  if (stat(folder.c_str(), &above) != 0) return errno;
  const uid_t me = geteuid();
  const bool is_sticky = (above.st_mode & S_ISVTX) != 0;
  return is_sticky && me != 0 && me != above.st_uid && me != place.old.st_uid ? EPERM : 0;
}

/// Returns 0 or an errno value.
int check(const OutputTarget& place) {
  switch (place.kind) {
    case OutputTarget::Kind::folder:
      return EISDIR;
    case OutputTarget::Kind::other:
      return is_permitted(place.path, W_OK) ? 0 : errno;
    case OutputTarget::Kind::descriptor: {
      const int flags = fcntl(place.descriptor, F_GETFL);
      if (flags < 0) return errno;
      return (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
    }
    case OutputTarget::Kind::file:
      break;
  }
  return check_file(place);
}

}  // namespace

Result<std::string> output_path(const std::string& name) {
  auto place = place_of(name);
  if (!place) return place.status();
  return std::move(place->path);
}

Status replace_file(const std::string& name, const std::string& text) {
  const auto place = place_of(name);
  if (!place) return place.status();
  int error = check(*place);
  if (error == 0 && place->kind == OutputTarget::Kind::file) return replace(*place, name, text);
  if (error == 0)
    error = place->kind == OutputTarget::Kind::descriptor ? write_all(place->descriptor, text)
                                                          : write_into(place->path, text);
  return error == 0 ? Status{} : cannot_write(name, error);
}

Status check_replaceable(const std::string& name) {
  const auto place = place_of(name);
  if (!place) return place.status();
  const int error = check(*place);
  return error == 0 ? Status{} : cannot_write(name, error);
}

}  // namespace tutti::base
