#include "record/live_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"

namespace tutti::record {

namespace {

/// A write beyond RLIMIT_FSIZE would send SIGXFSZ to the process.
bool may_reach(uint64_t bytes) {
  struct rlimit most {};
  return getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes <= most.rlim_cur;
}

struct flock whole_file(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

base::Result<std::unique_ptr<LiveFile>> LiveFile::make(const std::string& name) {
  unlink(name.c_str());
  constexpr mode_t k_as_umask_says = 0666;
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, k_as_umask_says);
  if (fd < 0) return base::Status::system(name, errno);
  struct flock lock = whole_file(F_WRLCK);
  fcntl(fd, F_SETLK, &lock);  // without locks, readers take the process for ended
  return std::unique_ptr<LiveFile>(new LiveFile(fd, name));
}

LiveFile::LiveFile(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
  struct stat about {};
  if (fstat(fd_, &about) != 0) return;
  device_ = about.st_dev;
  inode_ = about.st_ino;
}

LiveFile::~LiveFile() {
  if (has_file()) close(fd_);
}

/// Whether the descriptor still refers to the file: programs close descriptors that they do not know, and reuse their
/// numbers.
bool LiveFile::has_file() const {
  struct stat about {};
  return fstat(fd_, &about) == 0 && about.st_dev == device_ && about.st_ino == inode_;
}

void* LiveFile::map(uint64_t bytes) {
  if (!may_reach(bytes) || ftruncate(fd_, static_cast<off_t>(bytes)) != 0) return nullptr;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool LiveFile::set_aside(uint64_t from, uint64_t bytes) {
  return has_file() && base::reserve_bytes(fd_, from, bytes) == 0;
}

void LiveFile::begin_lines(uint64_t at, const RankDescription& description) {
  {
    const std::lock_guard lock(mutex_);
    end_ = at;
  }
  add_line(line_of(description));
}

void LiveFile::add_line(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (end_ == 0) return;
  const bool is_written =
      has_file() && may_reach(end_ + line.size()) &&
      pwrite(fd_, line.data(), line.size(), static_cast<off_t>(end_)) == static_cast<ssize_t>(line.size());
  end_ = is_written ? end_ + line.size() : 0;
}

void LiveFile::remove() {
  unlink(name_.c_str());
}

bool is_written(const std::string& live_file_name) {
  const int fd = open(live_file_name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock lock = whole_file(F_RDLCK);
  const bool is_locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  return is_locked;
}

}  // namespace tutti::record
