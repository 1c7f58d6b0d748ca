// Wrappers of calls that change mappings or free memory.

#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/next_function.hpp"
#include "overlap/calls/waiting.hpp"
#include "overlap/guard/code_memory.hpp"
#include "overlap/guard/mechanism.hpp"

using tutti::overlap::calls::await_bytes;
using tutti::overlap::calls::Word;
namespace guard = tutti::overlap::guard;

namespace {

TUTTI_NEXT(mmap);
TUTTI_NEXT(mmap64);
TUTTI_NEXT(munmap);
TUTTI_NEXT(mremap);
TUTTI_NEXT(madvise);
TUTTI_NEXT(mprotect);
TUTTI_NEXT(pkey_mprotect);
TUTTI_NEXT(syscall);
TUTTI_NEXT(free);
TUTTI_NEXT(realloc);
TUTTI_NEXT(malloc_usable_size);

/// The function begins with no-op instructions, which libraries that patch functions overwrite.
#define TUTTI_KNOWN_BEGINNING [[gnu::patchable_function_entry(5)]]
constexpr size_t k_beginning_bytes = 5;

void await(const void* memory, size_t bytes) {
  if (!guard::is_everything_open()) await_bytes(reinterpret_cast<Word>(memory), bytes);
}

template <class Function>
const void* library_of(Function* function) {
  Dl_info info{};
  return function != nullptr && dladdr(reinterpret_cast<const void*>(function), &info) != 0 ? info.dli_fbase
                                                                                            : nullptr;
}

/// Waits before a malloc() block is freed. Only the library that frees it, by `taker`, is asked for the block's size;
/// without that function of the same library any size is possible. Nearly all blocks are freed while nothing is
/// pending, which costs one load.
template <class Function>
void await_block(const void* block, tutti::base::NextFunction<Function>& taker) {
  if (guard::is_everything_open() || block == nullptr) return;
  const void* const library = library_of(taker.get());
  const bool is_known = library != nullptr && library == library_of(next_malloc_usable_size.get());
  await(block, is_known ? next_malloc_usable_size(const_cast<void*>(block)) : UINT64_MAX);
}

/// System calls by number that have wrappers here (for the others: generate.py).
bool await_memory_call(long number, const Word (&arguments)[6]) {
  const auto bytes = static_cast<uint64_t>(arguments[1]);
  switch (number) {
    case SYS_mmap:
      if ((arguments[3] & MAP_FIXED) != 0) await_bytes(arguments[0], bytes);
      return true;
    case SYS_mremap:
      if ((arguments[3] & MREMAP_FIXED) != 0) await_bytes(arguments[4], static_cast<uint64_t>(arguments[2]));
      [[fallthrough]];
    case SYS_munmap:
    case SYS_madvise:
    case SYS_mprotect:
    case SYS_pkey_mprotect:
      await_bytes(arguments[0], bytes);
      return true;
    default:
      return false;
  }
}

/// Called after the protection is set: a check of the mappings before that would miss it.
template <class Result>
Result with_protection(Result result, int protection) {
  if ((protection & PROT_EXEC) != 0) guard::expect_code_memory();
  return result;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if ((flags & MAP_FIXED) != 0) await(address, bytes);
  return with_protection(next_mmap(address, bytes, protection, flags, fd, offset), protection);
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  if ((flags & MAP_FIXED) != 0) await(address, bytes);
  return with_protection(next_mmap64(address, bytes, protection, flags, fd, offset), protection);
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

TUTTI_KNOWN_BEGINNING int madvise(void* address, size_t bytes, int advice) noexcept {
  await(address, bytes);
  return next_madvise(address, bytes, advice);
}

int mprotect(void* address, size_t bytes, int protection) noexcept {
  await(address, bytes);
  return with_protection(next_mprotect(address, bytes, protection), protection);
}

int pkey_mprotect(void* address, size_t bytes, int protection, int key) noexcept {
  await(address, bytes);
  return with_protection(next_pkey_mprotect(address, bytes, protection, key), protection);
}

/// Calls without closed memory among their arguments must not wait here: threads of the MPI make them while they hold
/// locks that the owner of closed memory needs.
long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  Word arguments[6];
  for (Word& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (!guard::is_everything_open() && !await_memory_call(number, arguments))
    tutti::overlap::calls::await_system_call(number, arguments);
  if (number == SYS_io_uring_setup) guard::expect_kernel_threads();
  const bool protects = number == SYS_mmap || number == SYS_mprotect || number == SYS_pkey_mprotect;
  const long result = next_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                   arguments[4], arguments[5]);
  return with_protection(result, protects ? static_cast<int>(arguments[2]) : PROT_NONE);
}

[[gnu::noinline, gnu::cold, gnu::visibility("hidden")]] void wait_and_free(void* block) {
  await_block(block, next_free);
  // A block of the dynamic linker that is freed before the next function is found is leaked.
  if (auto* const next = next_free.get()) next(block);
}

TUTTI_KNOWN_BEGINNING void free(void* block) noexcept {
  auto* const known = next_free.known();
  return guard::is_everything_open() && known != nullptr ? known(block) : wait_and_free(block);
}

TUTTI_KNOWN_BEGINNING void* realloc(void* block, size_t bytes) noexcept {
  await_block(block, next_realloc);
  return next_realloc(block, bytes);
}

}  // extern "C"
#pragma GCC visibility pop

// Other code may run before these wrappers: libraries that come first in the search order, and libraries that patch the
// beginning of a function, as UCX and Open MPI do to be notified of unmapped memory. They may patch before any code of
// this library runs, so the known beginnings serve to recognise an unpatched function.

#define TUTTI_OWN(name) extern "C" [[gnu::alias(#name), gnu::visibility("hidden")]] decltype(name) own_##name
TUTTI_OWN(munmap);
TUTTI_OWN(mremap);
TUTTI_OWN(madvise);
TUTTI_OWN(free);
TUTTI_OWN(realloc);

namespace {

/// Reference for unpatched beginnings: not exported, so no library patches it.
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
  guard::set_calls_check(are_asked_first);
}

}  // namespace
