// Acts like a tool in front of MPI, or a program that calls PMPI itself: it completes requests by PMPI_*, which Tutti
// does not see.
#include "persistent.h"

#include "check.h"

#include <stdlib.h>

enum { k_count = 40000, k_rounds = 3 };

static void wait_for(MPI_Request* request, int way) {
  int done = 0, index = 0;
  MPI_Status status;
  switch (way) {
    case 0:
      PMPI_Wait(request, &status);
      break;
    case 1:
      PMPI_Waitall(1, request, &status);
      break;
    case 2:
      PMPI_Waitany(1, request, &index, &status);
      break;
    default:
      while (!done) PMPI_Test(request, &done, &status);
  }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int* data = allocate_ints(k_count, 0);
  for (int way = 0; way < 4; ++way) {
    MPI_Request persistent, once;
    MPI_Bcast_init(data, k_count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
    for (int round = 0; round < k_rounds; ++round) {
      const int value = 10 * way + round;
      for (int i = 0; i < k_count; ++i) data[i] = g_rank == 0 ? value : -1;
      MPI_Start(&persistent);
      wait_for(&persistent, way);
      CHECK(data[0] == value && data[k_count - 1] == value, "way %d: %d", way, data[0]);
      for (int i = 0; i < k_count; ++i) data[i] = g_rank == 1 ? -value : 1;
      MPI_Ibcast(data, k_count, MPI_INT, 1, MPI_COMM_WORLD, &once);
      wait_for(&once, way);
      CHECK(data[0] == -value && data[k_count - 1] == -value, "way %d: %d", way, data[0]);
    }
    MPI_Request_free(&persistent);
  }
  free(data);
  return check_finish("completed_below");
}
