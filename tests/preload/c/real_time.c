// Ranks that become real-time threads after MPI_Init, where they may, and test for their requests without a pause.
#include "check.h"

#include <sched.h>
#include <stdlib.h>

enum { k_count = 50000, k_rounds = 500 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  const struct sched_param priority = {.sched_priority = 20};
  sched_setscheduler(0, SCHED_RR, &priority);
  int* mine = allocate_ints(k_count, g_rank);
  int* sums = allocate_ints(k_count, 0);
  for (int round = 0; round < k_rounds; ++round) {
    MPI_Request request;
    int is_done = 0;
    MPI_Iallreduce(mine, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    while (!is_done) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    CHECK(sums[k_count - 1] == g_size * (g_size - 1) / 2, "the sum is %d", sums[k_count - 1]);
  }
  free(mine);
  free(sums);
  return check_finish("real_time");
}
