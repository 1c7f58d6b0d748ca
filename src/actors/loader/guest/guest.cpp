// What a program does with its process, for its rank alone. Loaded once for each rank, with that rank's variables.
// No C++ library: the program may bring another.

#include "actors/loader/guest_host.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "actors/loader/guest/copied_variables.hpp"
#include "actors/loader/guest/object.hpp"

namespace {

using tutti::actors::at_address;
using tutti::actors::dynamic_section;
using tutti::actors::GuestHost;
using tutti::actors::k_host_tag;

const GuestHost* g_host;
pid_t g_process;
bool g_is_ending;

using Function = void (*)();

/// The program says whose it is.
int enter_program(dl_phdr_info* object, size_t, void*) {
  const Elf64_Dyn* entry = dynamic_section(*object);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == k_host_tag) g_host = at_address<const GuestHost>(entry->d_un.d_val);
  if (g_host == nullptr) return 0;
  tutti::actors::fill_copied_variables(*object);
  return 1;
}

bool ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/// In the order in which they were loaded: a library comes after what needs it, but for cycles. The C library goes on.
int run_destructors(dl_phdr_info* object, size_t, void*) {
  if (ends_with(object->dlpi_name, "/libc.so.6") || ends_with(object->dlpi_name, "/ld-linux-x86-64.so.2"))
    return 0;
  const Function* functions = nullptr;
  size_t count = 0;
  Function last = nullptr;
  for (const Elf64_Dyn* entry = dynamic_section(*object); entry != nullptr && entry->d_tag != DT_NULL;
       ++entry) {
    const Elf64_Addr address = object->dlpi_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_FINI_ARRAY) functions = at_address<const Function>(address);
    if (entry->d_tag == DT_FINI_ARRAYSZ) count = entry->d_un.d_val / sizeof(Function);
    if (entry->d_tag == DT_FINI) last = at_address<void()>(address);
  }
  while (functions != nullptr && count > 0) functions[--count]();
  if (last != nullptr) last();
  return 0;
}

/// Before all other constructors, those of the C library too: the loader lets a library come first.
__attribute__((constructor)) void enter() {
  dl_iterate_phdr(enter_program, nullptr);
  g_process = getpid();
}

/// A child of fork() is a process like any other.
bool is_child() {
  return getpid() != g_process;
}

[[noreturn]] void leave(int status) {
  g_host->leave(g_host->actor, status);
  __builtin_unreachable();
}

[[noreturn]] void end_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

extern "C" {

/// For the rank's other libraries.
__attribute__((visibility("default"))) const GuestHost* tutti_guest_host(void) {
  return g_host;
}

// Names of the C library. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
int __cxa_finalize(void*);

// The program's first instruction leads here. Its constructors have run when it was loaded.
__attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char**, char**), int argc,
                                                             char** argv, void (*)(), void (*)(), void (*)(),
                                                             void*) {
  environ = g_host->environment;
  exit(main(argc, argv, environ));  // NOLINT(concurrency-mt-unsafe): ours
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

__attribute__((visibility("default"))) void exit(int status) {
  if (!g_is_ending) {
    g_is_ending = true;
    __cxa_finalize(nullptr);  // handlers of atexit(), destructors of C++ objects
    dl_iterate_phdr(run_destructors, nullptr);
    fflush(nullptr);
  }
  if (is_child()) end_process(status);
  leave(status);
}

__attribute__((visibility("default"))) void _exit(int status) {
  if (is_child()) end_process(status);
  leave(status);
}

__attribute__((visibility("default"))) void _Exit(int status) {
  _exit(status);
}

}  // extern "C"
