// Calls that change what memory is, or give it back.

#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/next_function.hpp"
#include "overlap/calls/waiting.hpp"
#include "overlap/guard/mechanism.hpp"

using tutti::overlap::calls::await;
using tutti::overlap::calls::await_everything;

namespace {

TUTTI_NEXT(mmap);
TUTTI_NEXT(mmap64);
TUTTI_NEXT(munmap);
TUTTI_NEXT(mremap);
TUTTI_NEXT(mprotect);
TUTTI_NEXT(pkey_mprotect);
TUTTI_NEXT(madvise);
TUTTI_NEXT(posix_madvise);
TUTTI_NEXT(mlock);
TUTTI_NEXT(mlock2);
TUTTI_NEXT(mlockall);
TUTTI_NEXT(msync);
TUTTI_NEXT(ioctl);
TUTTI_NEXT(syscall);
TUTTI_NEXT(free);
TUTTI_NEXT(realloc);
TUTTI_NEXT(reallocarray);
TUTTI_NEXT(malloc_usable_size);

constexpr size_t k_ioctl_bytes = 256;

/// The function begins with instructions that do nothing, which who rewrites it writes over.
#define TUTTI_KNOWN_BEGINNING [[gnu::patchable_function_entry(5)]]
constexpr size_t k_beginning_bytes = 5;

/// What a pointer of malloc() leads to is about to go.
void await_block(void* block) {
  if (tutti::overlap::guard::is_everything_open() || block == nullptr) return;
  await(block, next_malloc_usable_size(block));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if ((flags & MAP_FIXED) != 0) await(address, bytes);
  return next_mmap(address, bytes, protection, flags, fd, offset);
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  if ((flags & MAP_FIXED) != 0) await(address, bytes);
  return next_mmap64(address, bytes, protection, flags, fd, offset);
}

TUTTI_KNOWN_BEGINNING int munmap(void* address, size_t bytes) noexcept {
  await(address, bytes);
  return next_munmap(address, bytes);
}

TUTTI_KNOWN_BEGINNING void* mremap(void* address, size_t bytes, size_t new_bytes, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the line before has initialised it
  void* const target = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  await(address, bytes);
  if (target != nullptr) await(target, new_bytes);
  return next_mremap(address, bytes, new_bytes, flags, target);
}

int mprotect(void* address, size_t bytes, int protection) noexcept {
  await(address, bytes);
  return next_mprotect(address, bytes, protection);
}

int pkey_mprotect(void* address, size_t bytes, int protection, int key) noexcept {
  await(address, bytes);
  return next_pkey_mprotect(address, bytes, protection, key);
}

TUTTI_KNOWN_BEGINNING int madvise(void* address, size_t bytes, int advice) noexcept {
  await(address, bytes);
  return next_madvise(address, bytes, advice);
}

int posix_madvise(void* address, size_t bytes, int advice) noexcept {
  await(address, bytes);
  return next_posix_madvise(address, bytes, advice);
}

int mlock(const void* address, size_t bytes) noexcept {
  await(address, bytes);
  return next_mlock(address, bytes);
}

int mlock2(const void* address, size_t bytes, unsigned flags) noexcept {
  await(address, bytes);
  return next_mlock2(address, bytes, flags);
}

int mlockall(int flags) noexcept {
  await_everything();
  return next_mlockall(flags);
}

int msync(void* address, size_t bytes, int flags) {
  await(address, bytes);
  return next_msync(address, bytes, flags);
}

/// What stands behind the argument is the request's business; nothing here is larger.
int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  await(argument, k_ioctl_bytes);
  return next_ioctl(fd, request, argument);
}

/// Any argument may be an address. Calls of other kinds must not wait here: threads of the MPI make them with locks in
/// their hands that the owner of closed memory needs.
long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): any of them may be an address.
  for (const long argument : arguments) await(reinterpret_cast<void*>(argument), 1);
  if (number == SYS_io_uring_setup) tutti::overlap::guard::expect_kernel_threads();
  return next_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                      arguments[5]);
}

TUTTI_KNOWN_BEGINNING void free(void* block) noexcept {
  await_block(block);
  next_free(block);
}

TUTTI_KNOWN_BEGINNING void* realloc(void* block, size_t bytes) noexcept {
  await_block(block);
  return next_realloc(block, bytes);
}

void* reallocarray(void* block, size_t count, size_t bytes) noexcept {
  await_block(block);
  return next_reallocarray(block, count, bytes);
}

}  // extern "C"
#pragma GCC visibility pop

// Others may put themselves in front of these: libraries that come first in the search order, and those that rewrite
// the beginning of a function, as UCX and Open MPI do to hear of memory that goes. They may have done so before any
// code of this library runs; hence the beginnings, by which a function that is as it was built can be told.

#define TUTTI_OWN(name) extern "C" [[gnu::alias(#name), gnu::visibility("hidden")]] decltype(name) own_##name
TUTTI_OWN(munmap);
TUTTI_OWN(mremap);
TUTTI_OWN(madvise);
TUTTI_OWN(free);
TUTTI_OWN(realloc);

namespace {

/// Nobody knows of it, so nobody rewrites it.
TUTTI_KNOWN_BEGINNING void begins_alike() {}

template <class Function>
bool is_as_built(Function* function) {
  return std::memcmp(reinterpret_cast<const void*>(function), reinterpret_cast<const void*>(begins_alike),
                     k_beginning_bytes) == 0;
}

template <class Function>
bool is_asked_first(const char* name, Function* own) {
  return dlsym(RTLD_DEFAULT, name) == reinterpret_cast<void*>(own) && is_as_built(own);
}

bool are_asked_first() {
  return is_asked_first("munmap", own_munmap) && is_asked_first("mremap", own_mremap) &&
         is_asked_first("madvise", own_madvise) && is_asked_first("free", own_free) &&
         is_asked_first("realloc", own_realloc);
}

[[gnu::constructor]] void offer_check() {
  tutti::overlap::guard::set_calls_check(are_asked_first);
}

}  // namespace
