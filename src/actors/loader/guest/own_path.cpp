// Makes a program find its own file: the process was started from another file, and the loader uses a copy.

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/own_host.hpp"

namespace tutti::actors {

namespace {

/// True for the links in /proc by which a process finds its executable.
bool is_link_to_program(const char* path) {
  constexpr const char* k_begin = "/proc/";
  constexpr size_t k_begin_length = 6;
  if (path == nullptr || strncmp(path, k_begin, k_begin_length) != 0) return false;
  const char* const whose = path + k_begin_length;
  if (strcmp(whose, "self/exe") == 0 || strcmp(whose, "thread-self/exe") == 0) return true;
  char* end = nullptr;
  const long number = strtol(whose, &end, 10);
  return end != whose && number == getpid() && strcmp(end, "/exe") == 0;
}

ssize_t tell_program(char* buffer, size_t size) {
  const char* const program = own_host().program;
  const size_t length = strlen(program), told = length < size ? length : size;
  memcpy(buffer, program, told);
  return static_cast<ssize_t>(told);
}

/// The path to use: the program's file if `path` is such a link.
const char* meant_by(const char* path) {
  return is_link_to_program(path) ? own_host().program : path;
}

}  // namespace

}  // namespace tutti::actors

using tutti::actors::is_link_to_program;
using tutti::actors::meant_by;
using tutti::actors::next;
using tutti::actors::tell_program;

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

// Called by programs that are built with _FORTIFY_SOURCE.
ssize_t __readlink_chk(const char*, char*, size_t, size_t);         // NOLINT: names of the C library
ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t);  // NOLINT
char* __realpath_chk(const char*, char*, size_t);                   // NOLINT

EXPORTED ssize_t readlink(const char* path, char* buffer, size_t size) noexcept {
  return is_link_to_program(path) && size > 0 ? tell_program(buffer, size)
                                              : next(&readlink, "readlink")(path, buffer, size);
}

EXPORTED ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t room) {  // NOLINT
  return is_link_to_program(path) && size > 0 && size <= room
             ? tell_program(buffer, size)
             : next(&__readlink_chk, "__readlink_chk")(path, buffer, size, room);
}

EXPORTED ssize_t readlinkat(int folder, const char* path, char* buffer, size_t size) noexcept {
  return is_link_to_program(path) && size > 0 ? tell_program(buffer, size)
                                              : next(&readlinkat, "readlinkat")(folder, path, buffer, size);
}

EXPORTED ssize_t __readlinkat_chk(int folder, const char* path, char* buffer, size_t size,  // NOLINT
                                  size_t room) {
  return is_link_to_program(path) && size > 0 && size <= room
             ? tell_program(buffer, size)
             : next(&__readlinkat_chk, "__readlinkat_chk")(folder, path, buffer, size, room);
}

EXPORTED char* realpath(const char* path, char* resolved) noexcept {
  return next(&realpath, "realpath")(meant_by(path), resolved);
}

EXPORTED char* __realpath_chk(const char* path, char* resolved, size_t room) {  // NOLINT
  return next(&__realpath_chk, "__realpath_chk")(meant_by(path), resolved, room);
}

EXPORTED char* canonicalize_file_name(const char* path) noexcept {
  return next(&canonicalize_file_name, "canonicalize_file_name")(meant_by(path));
}

EXPORTED unsigned long getauxval(unsigned long type) noexcept {
  return type == AT_EXECFN ? reinterpret_cast<unsigned long>(tutti::actors::own_host().program)
                           : next(&getauxval, "getauxval")(type);
}

}  // extern "C"
