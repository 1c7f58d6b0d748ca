// Lets waiting ranks sleep, for machines with fewer cores than ranks.
//
// Preloaded under both runs of every program: after 20 progress calls in a row that moved nothing, a
// rank naps for 20 microseconds. An MPI that spins makes a collective of 8 ranks on 2 cores take 10
// milliseconds or more, which would leave time for a hundred of them; with naps it is a few thousand.
// MPICH polls UCX through ucp_worker_progress, Open MPI everything through opal_progress.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

enum { k_empty_calls = 20, k_nap_us = 20 };

static __thread int g_empty_calls;

static void rest_after(int events) {
  if (events != 0) {
    g_empty_calls = 0;
  } else if (++g_empty_calls >= k_empty_calls) {
    g_empty_calls = 0;
    usleep(k_nap_us);
  }
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*);
  if (real == NULL) real = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  // Or that of a library which was loaded for itself alone.
  if (real == NULL)
    real = (unsigned (*)(void*))dlsym(dlopen("libucp.so.0", RTLD_LAZY), "ucp_worker_progress");
  const unsigned events = real(worker);
  rest_after((int)events);
  return events;
}

int opal_progress(void) {
  static int (*real)(void);
  if (real == NULL) real = (int (*)(void))dlsym(RTLD_NEXT, "opal_progress");
  const int events = real();
  rest_after(events);
  return events;
}
