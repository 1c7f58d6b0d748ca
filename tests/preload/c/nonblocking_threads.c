// Threads that start collectives and wait for them at the same time, each on its own communicator; and threads that
// are blocked in MPI when another one starts a collective that a peer needs.
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { k_threads = 3, k_rounds = 40, k_count = 5000, k_tag = 3 };

static MPI_Comm g_comms[k_threads];

static void check_sums(const int* sums, int expected, const char* what) {
  CHECK(sums[0] == expected && sums[k_count - 1] == expected, "%s: sum %d", what, sums[0]);
}

static void* wait_beside_others(void* argument) {
  const int id = *(const int*)argument;
  int* sums = allocate_ints(k_count, 0);
  int* all = allocate_ints((size_t)k_count * (size_t)g_size, -1);
  int* mine = allocate_ints(k_count, g_rank);
  for (int round = 0; round < k_rounds; ++round) {
    MPI_Request requests[2];
    for (int i = 0; i < k_count; ++i) sums[i] = g_rank + round;
    MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, g_comms[id], &requests[0]);
    MPI_Iallgather(mine, k_count, MPI_INT, all, k_count, MPI_INT, g_comms[id], &requests[1]);
    if (round % 2) {
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
      int is_done = 0;
      while (!is_done) MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE);
    }
    check_sums(sums, g_size * (g_size - 1) / 2 + g_size * round, "beside others");
    CHECK(all[(size_t)k_count * (size_t)g_size - 1] == g_size - 1, "all that was gathered");
  }
  free(sums);
  free(all);
  free(mine);
  return NULL;
}

// Sleeps in MPI until rank 0, which needs this rank's part in the collective, has got it.
static void* sleep_in_receive(void* argument) {
  (void)argument;
  int from_first = 0;
  MPI_Recv(&from_first, 1, MPI_INT, 0, k_tag, g_comms[1], MPI_STATUS_IGNORE);
  CHECK(from_first == 1, "a message across threads");
  return NULL;
}

static void needed_from_a_thread_that_computes(void) {
  pthread_t sleeper;
  int* sums = allocate_ints(k_count, g_rank);
  MPI_Request request;
  if (g_rank > 0) pthread_create(&sleeper, NULL, sleep_in_receive, NULL);
  MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, g_comms[0], &request);
  if (g_rank > 0) {
    pthread_join(sleeper, NULL);  // no MPI call of this thread before that
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    int one = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int peer = 1; peer < g_size; ++peer) MPI_Send(&one, 1, MPI_INT, peer, k_tag, g_comms[1]);
  }
  check_sums(sums, g_size * (g_size - 1) / 2, "beside a sleeper");
  free(sums);
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  pthread_t threads[k_threads];
  int ids[k_threads];
  for (int i = 0; i < k_threads; ++i) {
    ids[i] = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &g_comms[i]);
  }
  for (int i = 0; i < k_threads; ++i) pthread_create(&threads[i], NULL, wait_beside_others, &ids[i]);
  for (int i = 0; i < k_threads; ++i) pthread_join(threads[i], NULL);
  needed_from_a_thread_that_computes();
  for (int i = 0; i < k_threads; ++i) MPI_Comm_free(&g_comms[i]);
  return check_finish("nonblocking_threads");
}
