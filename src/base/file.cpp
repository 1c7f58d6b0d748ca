#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace tutti::base {

namespace {

constexpr off_t k_most_read_bytes = off_t{1} << 30;

Status too_large(const std::string& name) {
  return Status::invalid_argument(name + ": is larger than 1G");
}

Result<std::string> read_descriptor(int fd, const std::string& name) {
  struct stat about {};
  if (fstat(fd, &about) != 0) return Status::system(name, errno);
  if (S_ISDIR(about.st_mode)) return Status::system(name, EISDIR);
  if (!S_ISREG(about.st_mode)) return Status::invalid_argument(name + ": is not a regular file");
  if (about.st_size > k_most_read_bytes) return too_large(name);
  std::string content;
  std::array<char, 16384> part{};
  for (;;) {
    const ssize_t got = read(fd, part.data(), part.size());
    if (got == 0) return content;
    // A file may grow meanwhile, or have an unknown size, like those in /proc.
    if (static_cast<off_t>(content.size()) > k_most_read_bytes) return too_large(name);
    if (got > 0)
      content.append(part.data(), static_cast<size_t>(got));
    else if (errno != EINTR)
      return Status::system(name, errno);
  }
}

}  // namespace

Result<std::string> read_file(const std::string& name) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int fd = open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return Status::system(name, errno);
  auto content = read_descriptor(fd, name);
  close(fd);
  return content;
}

int reserve_bytes(int fd, uint64_t from, uint64_t bytes) {
  return syscall(SYS_fallocate, fd, 0, static_cast<off_t>(from), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

Status flush_standard_output() {
  constexpr const char* k_what = "cannot write to standard output";
  errno = 0;
  const bool is_flushed = fflush(stdout) == 0;
  if (is_flushed && ferror(stdout) == 0) return {};
  // Earlier failures have left no errno.
  return errno == 0 ? Status(Code::system, k_what) : Status::system(k_what, errno);
}

}  // namespace tutti::base
