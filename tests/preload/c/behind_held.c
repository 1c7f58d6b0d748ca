// A blocking collective behind nonblocking ones whose server is not known yet: a rank that waits in it still has to
// move its own messages on.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 30, k_large = 1 << 20, k_count = 20000, k_several = 5, k_tag = 3 };

static int* g_large;
static int* g_data[k_several + 1];

static void start(int round, MPI_Request* requests) {
  for (int m = 0; m < k_several; ++m) {
    g_data[m][0] = g_data[m][k_count - 1] = g_rank == 0 ? round + m : -1;
    MPI_Ibcast(g_data[m], k_count, MPI_INT, 0, MPI_COMM_WORLD, &requests[m]);
  }
  int* const last = g_data[k_several];
  last[0] = last[k_count - 1] = g_rank == 0 ? round : -1;
  MPI_Bcast(last, k_count, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(last[0] == round && last[k_count - 1] == round, "round %d: %d", round, last[0]);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_large = allocate_ints(k_large, 0);
  for (int m = 0; m <= k_several; ++m) g_data[m] = allocate_ints(k_count, 0);
  for (int round = 0; round < k_rounds; ++round) {
    MPI_Request requests[k_several + 1];
    requests[k_several] = MPI_REQUEST_NULL;
    if (g_rank == 0 && g_size > 1) {
      g_large[k_large - 1] = round;
      MPI_Isend(g_large, k_large, MPI_INT, 1, k_tag, MPI_COMM_WORLD, &requests[k_several]);
    }
    if (g_rank == 1) {
      MPI_Recv(g_large, k_large, MPI_INT, 0, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(g_large[k_large - 1] == round, "round %d: %d", round, g_large[k_large - 1]);
    }
    start(round, requests);
    MPI_Waitall(k_several + 1, requests, MPI_STATUSES_IGNORE);
    for (int m = 0; m < k_several; ++m)
      CHECK(g_data[m][0] == round + m && g_data[m][k_count - 1] == round + m, "round %d, message %d", round,
            m);
  }
  free(g_large);
  for (int m = 0; m <= k_several; ++m) free(g_data[m]);
  return check_finish("behind_held");
}
