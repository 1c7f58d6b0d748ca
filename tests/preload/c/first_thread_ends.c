// The first thread of the process ends, and another one goes on using MPI: the kernel then refuses cross-memory attach
// by the process's number, and has no /proc/net for it.
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

enum { k_count = 60000, k_calls = 4 };

static pthread_t g_first;

static void sum(int round) {
  int* mine = allocate_ints(k_count, g_rank + round);
  int* sums = allocate_ints(k_count, 0);
  MPI_Request request;
  MPI_Iallreduce(mine, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int expected = g_size * (g_size - 1) / 2 + g_size * round;
  CHECK(sums[0] == expected && sums[k_count - 1] == expected, "round %d: %d", round, sums[0]);
  MPI_Bcast(mine, k_count, MPI_INT, round % g_size, MPI_COMM_WORLD);
  CHECK(mine[k_count - 1] == round % g_size + round, "round %d: bcast %d", round, mine[k_count - 1]);
  free(mine);
  free(sums);
}

static void* live_on(void* nothing) {
  (void)nothing;
  check_init_threads(NULL, NULL, MPI_THREAD_SERIALIZED);
  sum(0);
  pthread_join(g_first, NULL);
  for (int round = 1; round < k_calls; ++round) sum(round);
  exit(check_finish("first_thread_ends"));
}

int main(void) {
  pthread_t other;
  g_first = pthread_self();
  if (pthread_create(&other, NULL, live_on, NULL) != 0) return 1;
  pthread_exit(NULL);
}
