// Lets the clock of Tutti run faster than that of the world: preloaded in front of the library, it makes every time-out
// of the library be met by ranks that are only a little late.
//
// TORTURE_HURRY says how many times as fast (1 without it). Only what code of libtutti-*.so reads is changed; the
// program, the MPI and UCX keep their own time. All processes have the same hurried time. A process that ends without
// having hurried Tutti's clock fails: the test would say nothing.
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { k_failed = 97 };

static uintptr_t g_begin, g_end;  // the code of libtutti
static long g_factor = 1;
static atomic_ulong g_hurried;

static int find_tutti(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  if (strstr(info->dlpi_name, "/libtutti-") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
    g_begin = info->dlpi_addr + segment->p_vaddr;
    g_end = g_begin + segment->p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char* const text = getenv("TORTURE_HURRY");
  const long number = text == NULL ? 1 : strtol(text, NULL, 10);
  g_factor = number < 1 ? 1 : number;
  dl_iterate_phdr(find_tutti, NULL);
}

__attribute__((destructor)) static void end(void) {
  if (g_factor == 1 || g_end == 0 || g_hurried > 0) return;
  fprintf(stderr, "short_timeouts: FAILED: Tutti has not read the clock by clock_gettime\n");
  _exit(k_failed);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  if (result != 0 || clock != CLOCK_MONOTONIC || caller < g_begin || caller >= g_end) return result;
  ++g_hurried;
  const long nanoseconds = 1000000000L;
  const long long now = (time->tv_sec * (long long)nanoseconds + time->tv_nsec) * g_factor;
  time->tv_sec = now / nanoseconds;
  time->tv_nsec = now % nanoseconds;
  return 0;
}
