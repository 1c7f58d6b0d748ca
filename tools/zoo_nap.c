// Lets waiting ranks sleep, for machines with fewer cores than ranks.
//
// Preloaded under both runs of a program, natively and under Tutti: after 20 consecutive progress calls without
// progress, a rank sleeps for 20 microseconds. An MPI that spins makes a collective of 8 ranks on 2 cores take 10
// milliseconds or more, which leaves time for about a hundred of them in a run; with naps there is time for a few
// thousand. MPICH polls UCX through ucp_worker_progress, Open MPI everything through opal_progress.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { k_empty_calls = 20, k_nap_us = 20 };

static __thread int g_empty_calls, g_naps_exactly;

static void rest_after(int events) {
  if (events != 0) {
    g_empty_calls = 0;
  } else if (++g_empty_calls >= k_empty_calls) {
    g_empty_calls = 0;
    // Without this the kernel rounds a sleep of 20 us up to 70. Tutti does the same for its own waits.
    if (!g_naps_exactly) prctl(PR_SET_TIMERSLACK, 1000UL);
    g_naps_exactly = 1;
    usleep(k_nap_us);
  }
}

// The next definition; or the one of a library that was loaded with local scope, as Python does.
static void* next(const char* symbol, const char* library) {
  void* const found = dlsym(RTLD_NEXT, symbol);
  return found != NULL ? found : dlsym(dlopen(library, RTLD_LAZY), symbol);
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*);
  if (real == NULL) real = (unsigned (*)(void*))next("ucp_worker_progress", "libucp.so.0");
  const unsigned events = real(worker);
  rest_after((int)events);
  return events;
}

int opal_progress(void) {
  static int (*real)(void);
  if (real == NULL) real = (int (*)(void))next("opal_progress", "libopen-pal.so.40");
  const int events = real();
  rest_after(events);
  return events;
}
