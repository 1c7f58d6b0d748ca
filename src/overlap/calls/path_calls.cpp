// Calls that hand a path to the kernel: a program may have received it, or another rank may have made what it leads to.

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/next_function.hpp"
#include "overlap/calls/waiting.hpp"

using tutti::overlap::calls::await_path;

namespace {

TUTTI_NEXT(open);
TUTTI_NEXT(open64);
TUTTI_NEXT(openat);
TUTTI_NEXT(openat64);
TUTTI_NEXT(rename);
TUTTI_NEXT(fopen);
TUTTI_NEXT(fopen64);
TUTTI_NEXT(freopen);
TUTTI_NEXT(freopen64);
TUTTI_NEXT(opendir);
TUTTI_NEXT(creat);
TUTTI_NEXT(creat64);
TUTTI_NEXT(access);
TUTTI_NEXT(mkdir);
TUTTI_NEXT(rmdir);
TUTTI_NEXT(unlink);
TUTTI_NEXT(remove);
TUTTI_NEXT(chdir);
TUTTI_NEXT(truncate);
TUTTI_NEXT(truncate64);
TUTTI_NEXT(stat);
TUTTI_NEXT(stat64);
TUTTI_NEXT(lstat);
TUTTI_NEXT(lstat64);

bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

/// The last argument of open(), where there is one.
#define TUTTI_MODE(flags)        \
  mode_t mode = 0;               \
  if (has_mode(flags)) {         \
    va_list rest;                \
    va_start(rest, flags);       \
    mode = va_arg(rest, mode_t); \
    va_end(rest);                \
  }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// The analyzer does not see the va_start() of the macro.
// NOLINTBEGIN(clang-analyzer-valist.Uninitialized)
int open(const char* path, int flags, ...) {
  TUTTI_MODE(flags)
  await_path(path);
  return next_open(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  TUTTI_MODE(flags)
  await_path(path);
  return next_open64(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  TUTTI_MODE(flags)
  await_path(path);
  return next_openat(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  TUTTI_MODE(flags)
  await_path(path);
  return next_openat64(folder, path, flags, mode);
}
// NOLINTEND(clang-analyzer-valist.Uninitialized)

int rename(const char* from, const char* to) noexcept {
  await_path(from);
  await_path(to);
  return next_rename(from, to);
}

FILE* fopen(const char* path, const char* mode) {
  await_path(path);
  return next_fopen(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  await_path(path);
  return next_fopen64(path, mode);
}

FILE* freopen(const char* path, const char* mode, FILE* file) {
  await_path(path);
  return next_freopen(path, mode, file);
}

FILE* freopen64(const char* path, const char* mode, FILE* file) {
  await_path(path);
  return next_freopen64(path, mode, file);
}

DIR* opendir(const char* path) {
  await_path(path);
  return next_opendir(path);
}

int creat(const char* path, mode_t mode) {
  await_path(path);
  return next_creat(path, mode);
}

int creat64(const char* path, mode_t mode) {
  await_path(path);
  return next_creat64(path, mode);
}

int access(const char* path, int mode) noexcept {
  await_path(path);
  return next_access(path, mode);
}

int mkdir(const char* path, mode_t mode) noexcept {
  await_path(path);
  return next_mkdir(path, mode);
}

int rmdir(const char* path) noexcept {
  await_path(path);
  return next_rmdir(path);
}

int unlink(const char* path) noexcept {
  await_path(path);
  return next_unlink(path);
}

int remove(const char* path) noexcept {
  await_path(path);
  return next_remove(path);
}

int chdir(const char* path) noexcept {
  await_path(path);
  return next_chdir(path);
}

int truncate(const char* path, off_t bytes) noexcept {
  await_path(path);
  return next_truncate(path, bytes);
}

int truncate64(const char* path, off64_t bytes) noexcept {
  await_path(path);
  return next_truncate64(path, bytes);
}

int stat(const char* path, struct stat* about) noexcept {
  await_path(path);
  return next_stat(path, about);
}

int stat64(const char* path, struct stat64* about) noexcept {
  await_path(path);
  return next_stat64(path, about);
}

int lstat(const char* path, struct stat* about) noexcept {
  await_path(path);
  return next_lstat(path, about);
}

int lstat64(const char* path, struct stat64* about) noexcept {
  await_path(path);
  return next_lstat64(path, about);
}

}  // extern "C"
#pragma GCC visibility pop
