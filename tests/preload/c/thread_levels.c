// The thread level that a program gets is the one that it would get without Tutti, whose own threads need more.
// Arguments: init or the level that it requires, and the one that it has to get.
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int is_main_thread(void) {
  int is_main = -1;
  MPI_Is_thread_main(&is_main);
  return is_main;
}

static void* ask_elsewhere(void* answer) {
  *(int*)answer = is_main_thread();
  return NULL;
}

int main(int argc, char** argv) {
  const int wanted = argc > 2 ? atoi(argv[2]) : -1;
  int provided = wanted, queried = -1;
  if (argc > 1 && strcmp(argv[1], "init") != 0)
    MPI_Init_thread(&argc, &argv, atoi(argv[1]), &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  MPI_Query_thread(&queried);
  CHECK(provided == wanted, "provided %d, not %d", provided, wanted);
  CHECK(queried == wanted, "queried %d, not %d", queried, wanted);
  CHECK(is_main_thread() == 1, "this is the main thread");
  if (wanted == MPI_THREAD_MULTIPLE) {
    pthread_t other;
    int is_main = -1;
    pthread_create(&other, NULL, ask_elsewhere, &is_main);
    pthread_join(other, NULL);
    CHECK(is_main == 0, "that is not the main thread");
  }

  // A collective that needs a thread of Tutti.
  int sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == g_size * (g_size - 1) / 2, "sum %d", sum);
  return check_finish("thread_levels");
}
