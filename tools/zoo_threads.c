// Additional threads of a rank, as in a program with OpenMP: they alternate between computing and sleeping. The zoo
// of machines (tools/zoo) preloads the library into all processes below a launcher, through the launcher's
// environment; only processes that are ranks start the threads. OMP_NUM_THREADS: number of threads of a rank,
// including the first one.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { k_computes_ns = 1000000, k_rests_ns = 3000000, k_most_threads = 256 };

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void* compute_by_turns(void* unused) {
  (void)unused;
  const struct timespec rest = {.tv_nsec = k_rests_ns};
  for (;;) {
    const long long end = now_ns() + k_computes_ns;
    while (now_ns() < end) {
    }
    nanosleep(&rest, NULL);
  }
  return NULL;
}

__attribute__((constructor)) static void begin(void) {
  const char* const text = getenv("OMP_NUM_THREADS");
  if (text == NULL || (getenv("PMI_RANK") == NULL && getenv("OMPI_COMM_WORLD_RANK") == NULL)) return;
  const int threads = atoi(text);
  // The threads block all signals: these are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 1; i < threads && i < k_most_threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, compute_by_turns, NULL) == 0) pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
