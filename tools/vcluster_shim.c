/* Preloaded into every process of a virtual node (ld.so.preload), for two corrections. It changes nothing
 * in programs that do not use MPI, and works together with any library in LD_PRELOAD.
 *
 * 1. The fair nap. Neither MPI sleeps while it waits. With more ranks than cores a spinning rank occupies
 *    the core of the rank that it waits for: an 8-byte broadcast of 8 ranks on 2 cores takes 32,000 us.
 *    After k calls of the MPI's progress function without an event, every further empty call sleeps.
 *      VCLUSTER_NAP=CALLS,MICROSECONDS   default 20,20
 *      VCLUSTER_NAP=off                  spin like the unmodified MPI
 *
 * 2. MPICH's finalize (4.0 and UCX over TCP). Each rank disconnects its UCX endpoints and calls progress
 *    until that is done. Then it blocks in the process manager, without progress: a rank whose
 *    disconnection needs a peer that already blocks spins forever, in most runs of 4 x 2 ranks.
 *    Instead: barrier, flush, barrier, flush, and no disconnection. The first barrier comes after the
 *    receipt of all messages of the program and connects each rank with its peers in a barrier. The first
 *    flush ends while all peers still call progress. The second barrier uses only existing connections, so
 *    the second flush needs no peer. After it nothing is left to send, and the following destruction of the
 *    worker frees the endpoints.
 *
 * Thread rules: all state is thread-local, or written once, with the same value by every thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

typedef void (*Function)(void);

/* Finds the next definition of a symbol. RTLD_NEXT does not search libraries that Python loaded privately; for those,
 * returns the definition in `library`. */
static Function find_next(const char* symbol, const char* library) {
  void* found = dlsym(RTLD_NEXT, symbol);
  if (!found) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    found = handle ? dlsym(handle, symbol) : NULL;
  }
  return (Function)(uintptr_t)found;
}

static Function require_next(const char* symbol, const char* library) {
  Function found = find_next(symbol, library);
  if (!found) {
    fprintf(stderr, "vcluster_shim: %s calls %s, which no library defines\n", library, symbol);
    abort();
  }
  return found;
}

static const char k_ucp[] = "libucp.so.0";
static const char k_opal[] = "libopen-pal.so.40";
static const char k_mpich[] = "libmpich.so.12";
static const char k_openmpi[] = "libmpi.so.40";

/* ---- 1. the nap ---- */

typedef struct {
  int empty_calls; /* 0: off */
  long sleep_ns;
} NapSetting;

static NapSetting read_nap_setting(void) {
  NapSetting setting = {20, 20000};
  const char* text = getenv("VCLUSTER_NAP");
  int calls, sleep_us;
  if (!text) return setting;
  if (strcmp(text, "off") == 0)
    setting.empty_calls = 0;
  else if (sscanf(text, "%d,%d", &calls, &sleep_us) == 2 && calls > 0 && sleep_us >= 0 && sleep_us < 1000000)
    setting = (NapSetting){calls, sleep_us * 1000L};
  else
    fprintf(stderr, "vcluster_shim: VCLUSTER_NAP='%s' is neither CALLS,MICROSECONDS nor off; using 20,20\n",
            text);
  return setting;
}

/* State of the calling thread. */
typedef struct {
  int ready;
  NapSetting setting;
  int empty_calls;
} Napper;

static __thread Napper napper;

static void nap_after(int event_count) {
  if (!napper.ready) {
    napper.ready = 1;
    napper.setting = read_nap_setting();
    /* Without this the kernel rounds a sleep of 20 us up to 70. */
    if (napper.setting.empty_calls) prctl(PR_SET_TIMERSLACK, 1000UL);
  }
  if (event_count > 0) {
    napper.empty_calls = 0;
  } else if (napper.setting.empty_calls && ++napper.empty_calls > napper.setting.empty_calls) {
    struct timespec nap = {0, napper.setting.sleep_ns};
    napper.empty_calls = napper.setting.empty_calls;
    nanosleep(&nap, NULL);
  }
}

static __thread void* last_worker; /* the UCX worker that this thread progressed last */

unsigned ucp_worker_progress(void* worker) {
  static Function next;
  if (!next) next = require_next("ucp_worker_progress", k_ucp);
  unsigned event_count = ((unsigned (*)(void*))next)(worker);
  last_worker = worker;
  nap_after((int)event_count);
  return event_count;
}

int opal_progress(void) {
  static Function next;
  if (!next) next = require_next("opal_progress", k_opal);
  int event_count = ((int (*)(void))next)();
  nap_after(event_count);
  return event_count;
}

/* ---- 2. finalize ---- */

static const int k_mpich_comm_world = 0x44000000; /* fixed by the MPICH ABI */
static const signed char k_ucs_in_progress = 1;

static void ignore_completion(void* request, int status) {
  (void)request;
  (void)status;
}

/* A status pointer of UCX is NULL (done), a small negative number (error) or a request. */
static int is_request(void* status_pointer) {
  return status_pointer && (uintptr_t)status_pointer < (uintptr_t)-100;
}

static void flush_worker(void* worker) {
  typedef void* Flush(void*, unsigned, void (*)(void*, int));
  Flush* flush = (Flush*)find_next("ucp_worker_flush_nb", k_ucp);
  signed char (*check)(void*) = (signed char (*)(void*))find_next("ucp_request_check_status", k_ucp);
  void (*release)(void*) = (void (*)(void*))find_next("ucp_request_free", k_ucp);
  if (!worker || !flush || !check || !release) return;
  void* request = flush(worker, 0, ignore_completion);
  if (!is_request(request)) return;
  while (check(request) == k_ucs_in_progress) ucp_worker_progress(worker);
  release(request);
}

/* Returns NULL: already done. */
void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  return NULL;
}

/* Tools that wrap MPI_Finalize, and Fortran, call PMPI_Finalize, so it is the function to replace. */
int PMPI_Finalize(void) {
  int (*finalize_mpich)(void) = NULL, (*barrier)(int) = NULL;
  void* mpich = dlopen(k_mpich, RTLD_LAZY | RTLD_NOLOAD);
  if (!mpich) return ((int (*)(void))require_next("PMPI_Finalize", k_openmpi))();
  finalize_mpich = (int (*)(void))require_next("PMPI_Finalize", k_mpich);
  barrier = (int (*)(int))require_next("PMPI_Barrier", k_mpich);
  for (int round = 0; round < 2; round++) {
    barrier(k_mpich_comm_world);
    flush_worker(last_worker);
  }
  return finalize_mpich();
}

int MPI_Finalize(void) {
  return PMPI_Finalize();
}
