// What a program does with its process, for its rank alone. Loaded once for each rank, with that rank's variables.
// No C++ library: the program may bring another.

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "actors/loader/guest/copied_variables.hpp"
#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/object.hpp"
#include "actors/loader/guest/own_host.hpp"
#include "actors/loader/guest/program_handle.hpp"
#include "actors/loader/guest/threads.hpp"

namespace {

using tutti::actors::at_address;
using tutti::actors::dynamic_section;
using tutti::actors::GuestHost;
using tutti::actors::is_child;
using tutti::actors::k_program_tag;

const GuestHost* g_host;
pid_t g_process;
pthread_t g_first_thread;
bool g_has_begun;  // main()
int g_quick_status;

using Function = void (*)();

bool is_program(const dl_phdr_info& object) {
  const Elf64_Dyn* entry = dynamic_section(object);
  while (entry != nullptr && entry->d_tag != DT_NULL && entry->d_tag != k_program_tag) ++entry;
  return entry != nullptr && entry->d_tag == k_program_tag;
}

int enter_program(dl_phdr_info* object, size_t, void*) {
  if (!is_program(*object)) return 0;
  tutti::actors::fill_copied_variables(*object);
  tutti::actors::prepare_opening(*object);
  return 1;
}

bool ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool is_of_c_library(const char* name) {
  return ends_with(name, "/libc.so.6") || ends_with(name, "/ld-linux-x86-64.so.2");
}

/// Dynamic sections of the objects whose destructors have been called, and the next object.
struct Ended {
  const Elf64_Dyn** sections;
  size_t count;
  dl_phdr_info next;

  bool has(const Elf64_Dyn* section) const {
    size_t i = 0;
    while (i < count && sections[i] != section) ++i;
    return i < count;
  }

  bool add(const Elf64_Dyn* section) {
    void* const grown = realloc(sections, (count + 1) * sizeof(*sections));
    if (grown == nullptr) return false;
    sections = static_cast<const Elf64_Dyn**>(grown);
    sections[count++] = section;
    return true;
  }
};

int find_next(dl_phdr_info* object, size_t, void* given) {
  auto& ended = *static_cast<Ended*>(given);
  const Elf64_Dyn* const section = dynamic_section(*object);
  if (section == nullptr || is_of_c_library(object->dlpi_name) || ended.has(section)) return 0;
  ended.next = *object;
  return 1;
}

void run_destructors_of(const dl_phdr_info& object) {
  const Function* functions = nullptr;
  size_t count = 0;
  Function last = nullptr;
  for (const Elf64_Dyn* entry = dynamic_section(object); entry->d_tag != DT_NULL; ++entry) {
    const Elf64_Addr address = object.dlpi_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_FINI_ARRAY) functions = at_address<const Function>(address);
    if (entry->d_tag == DT_FINI_ARRAYSZ) count = entry->d_un.d_val / sizeof(Function);
    if (entry->d_tag == DT_FINI) last = at_address<void()>(address);
  }
  while (functions != nullptr && count > 0) functions[--count]();
  if (last != nullptr) last();
}

/// In load order: a library comes after those that need it, except in cycles. The C library stays.
/// No destructor runs inside dl_iterate_phdr(), which holds a lock of the whole process: a destructor may wait for
/// other threads and ranks that need it. Each object is searched anew, because a destructor may load and unload
/// libraries.
void run_destructors() {
  Ended ended{};
  while (dl_iterate_phdr(find_next, &ended) != 0 && ended.add(dynamic_section(ended.next)))
    run_destructors_of(ended.next);
  free(ended.sections);
}

void begin_to_end() {
  if (!is_child()) *g_host->is_ending = 1;
}

[[noreturn]] void leave(int status) {
  g_host->leave(g_host->actor, status);
  __builtin_unreachable();
}

[[noreturn]] void end_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

/// The last handler of the C library's exit(), which err(), argp and others call internally.
/// What natively follows is the loader's part, and the end.
void end_by_exit(int status, void*) {
  begin_to_end();
  if (g_has_begun) run_destructors();
  fflush(nullptr);
  if (!is_child()) leave(status);
}

void end_by_quick_exit() {
  if (!is_child()) leave(g_quick_status);
}

/// Before all other constructors, those of the C library too: the loader lets a library come first. The container has
/// put the address of its GuestHost in front of the rank's environment.
__attribute__((constructor)) void enter(int, char**, char** environment) {
  g_host = reinterpret_cast<const GuestHost*>(environment[-1]);
  g_process = getpid();
  g_first_thread = pthread_self();
  const bool finds_symbols = tutti::actors::prepare_symbols();
  if (finds_symbols) dl_iterate_phdr(enter_program, nullptr);
  if (!finds_symbols || !tutti::actors::prepare_threads()) {
    fputs("tutti: ranks cannot be threads with this C library\n", stderr);
    leave(EXIT_FAILURE);
  }
  on_exit(end_by_exit, nullptr);
  at_quick_exit(end_by_quick_exit);
}

/// POSIX: the process goes on until its last thread has ended.
[[noreturn]] void end_first_thread() {
  tutti::actors::end_values();
  g_host->wait_for_threads(g_host->actor);
  exit(EXIT_SUCCESS);  // NOLINT(concurrency-mt-unsafe): the only thread
}

bool is_first_thread() {
  return !is_child() && pthread_equal(pthread_self(), g_first_thread) != 0;
}

}  // namespace

namespace tutti::actors {

bool is_child() {
  return getpid() != g_process;
}

const GuestHost& own_host() {
  return *g_host;
}

}  // namespace tutti::actors

extern "C" {

/// For the rank's other libraries.
__attribute__((visibility("default"))) const GuestHost* tutti_guest_host(void) {
  return g_host;
}

// The program's first instruction leads here. Its constructors have run when it was loaded.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): a name of the C library
__attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char**, char**), int argc,
                                                             char** argv, void (*)(), void (*)(), void (*)(),
                                                             void*) {
  g_has_begun = true;
  program_invocation_name = argv[0];
  char* const slash = strrchr(argv[0], '/');
  program_invocation_short_name = slash == nullptr ? argv[0] : slash + 1;
  exit(main(argc, argv, environ));  // NOLINT(concurrency-mt-unsafe): ours
}

__attribute__((visibility("default"))) void exit(int status) noexcept {
  begin_to_end();
  tutti::actors::next(&exit, "exit")(status);
  __builtin_unreachable();
}

__attribute__((visibility("default"))) void _exit(int status) {
  if (is_child()) end_process(status);
  leave(status);
}

__attribute__((visibility("default"))) void _Exit(int status) {
  _exit(status);
}

__attribute__((visibility("default"))) void quick_exit(int status) noexcept {
  g_quick_status = status;
  tutti::actors::next(&quick_exit, "quick_exit")(status);
  __builtin_unreachable();
}

__attribute__((visibility("default"))) void pthread_exit(void* value) {
  if (is_first_thread()) end_first_thread();
  tutti::actors::next(&pthread_exit, "pthread_exit")(value);
  __builtin_unreachable();
}

__attribute__((visibility("default"))) void thrd_exit(int value) {
  if (is_first_thread()) end_first_thread();
  tutti::actors::next(&thrd_exit, "thrd_exit")(value);
  __builtin_unreachable();
}

}  // extern "C"
