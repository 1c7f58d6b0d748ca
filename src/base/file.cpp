#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace tutti::base {

namespace {

constexpr mode_t k_new_file_mode = 0644;
constexpr mode_t k_permissions = 07777;

Result<std::string> read_descriptor(int fd, const std::string& name) {
  struct stat about {};
  if (fstat(fd, &about) != 0) return Status::system(name, errno);
  if (S_ISDIR(about.st_mode)) return Status::system(name, EISDIR);
  if (!S_ISREG(about.st_mode)) return Status::invalid_argument(name + ": is not a regular file");
  std::string content;
  std::array<char, 16384> part{};
  for (;;) {
    const ssize_t got = read(fd, part.data(), part.size());
    if (got == 0) return content;
    if (got > 0)
      content.append(part.data(), static_cast<size_t>(got));
    else if (errno != EINTR)
      return Status::system(name, errno);
  }
}

Status write_all(int fd, const std::string& text, const std::string& name) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Status::system("cannot write " + name, errno);
    done += static_cast<size_t>(count);
  }
  return {};
}

Status write_into(const std::string& name, const std::string& text) {
  const int fd = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return Status::system("cannot write " + name, errno);
  Status status = write_all(fd, text, name);
  if (close(fd) != 0 && status) status = Status::system("cannot write " + name, errno);
  return status;
}

}  // namespace

std::string resolve_links(const std::string& name) {
  const std::unique_ptr<char, decltype(&free)> path(realpath(name.c_str(), nullptr), free);
  return path == nullptr ? name : path.get();
}

Status replace_file(const std::string& wanted, const std::string& text) {
  struct stat old {};
  const bool is_old = stat(wanted.c_str(), &old) == 0;
  if (is_old && !S_ISREG(old.st_mode)) return write_into(wanted, text);
  const mode_t mode = is_old ? old.st_mode & k_permissions : k_new_file_mode;
  const std::string name = resolve_links(wanted);
  std::string temporary = name + ".XXXXXX";  // for mkostemp()
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return Status::system("cannot write beside " + name, errno);
  Status status = write_all(fd, text, temporary);
  if (status && (fchmod(fd, mode) != 0 || fsync(fd) != 0))
    status = Status::system("cannot write " + temporary, errno);
  if (close(fd) != 0 && status) status = Status::system("cannot write " + temporary, errno);
  if (status && rename(temporary.c_str(), name.c_str()) != 0)
    status = Status::system("cannot replace " + name, errno);
  if (!status) unlink(temporary.c_str());
  return status;
}

Status check_replaceable(const std::string& wanted) {
  struct stat old {};
  const bool is_old = stat(wanted.c_str(), &old) == 0;
  if (is_old && S_ISDIR(old.st_mode)) return Status::system("cannot write " + wanted, EISDIR);
  const bool is_written_into = is_old && !S_ISREG(old.st_mode);
  // A new file takes the place of the old one: what has to be writable is the folder.
  const std::filesystem::path name = resolve_links(wanted);
  const std::filesystem::path folder = name.has_parent_path() ? name.parent_path() : ".";
  if (is_written_into ? access(wanted.c_str(), W_OK) != 0 : access(folder.c_str(), W_OK | X_OK) != 0)
    return Status::system("cannot write " + wanted, errno);
  return {};
}

Result<std::string> read_file(const std::string& name) {
  // Opening a pipe without O_NONBLOCK would wait for its writer.
  const int fd = open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return Status::system(name, errno);
  auto content = read_descriptor(fd, name);
  close(fd);
  return content;
}

}  // namespace tutti::base
