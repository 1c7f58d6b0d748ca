// Calls that must not occur in the path of every collective and of every memory allocation: look-ups in the dynamic
// linker and in the environment.
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { k_first = 200, k_rounds = 1000, k_elements = 64, k_most_ranks = 64 };

static long g_look_ups;

// They stand in front of the C library's, for this program's libraries, too.
int dladdr(const void* address, Dl_info* info) {
  typedef int Function(const void*, Dl_info*);
  static Function* next;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "dladdr");
  ++g_look_ups;
  return next(address, info);
}

int dladdr1(const void* address, Dl_info* info, void** more, int flags) {
  typedef int Function(const void*, Dl_info*, void**, int);
  static Function* next;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "dladdr1");
  ++g_look_ups;
  return next(address, info, more, flags);
}

char* getenv(const char* name) {
  const size_t length = strlen(name);
  ++g_look_ups;
  for (char** one = environ; one != NULL && *one != NULL; ++one)
    if (strncmp(*one, name, length) == 0 && (*one)[length] == '=') return *one + length + 1;
  return NULL;
}

static void use_memory(void) {
  void* volatile block = malloc(100);
  block = realloc(block, 5000);
  free(block);
  block = calloc(10, 10);
  free(block);
}

static void call_all(void) {
  static double own[k_elements], all[k_most_ranks];
  MPI_Request request;
  int there;
  MPI_Bcast(own, k_elements, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(own, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(own, all, k_elements, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allgather(own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Gather(own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(all, 1, MPI_INT, (g_rank + g_size - 1) % g_size, 0, MPI_COMM_WORLD, &request);
  MPI_Send(own, 1, MPI_INT, (g_rank + 1) % g_size, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

static long look_ups_in(void (*work)(void)) {
  const long before = g_look_ups;
  for (int i = 0; i < k_rounds; ++i) work();
  return g_look_ups - before;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  CHECK(g_size <= k_most_ranks, "at most %d ranks", k_most_ranks);
  for (int i = 0; i < k_first; ++i) {
    use_memory();
    call_all();
  }
  // Decisions fall in some of the rounds, and may look something up.
  CHECK(look_ups_in(use_memory) == 0, "blocks of memory are looked up");
  CHECK(look_ups_in(call_all) < k_rounds / 10, "calls look something up");
  return check_finish("quiet_calls");
}
