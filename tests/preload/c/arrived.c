// A rank looks with MPI_Parrived for what another rank sends after a nonblocking collective: nothing else moves the
// collective on.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 40, k_count = 1 << 16, k_parts = 2, k_part = 512, k_tag = 9 };

#if MPI_VERSION >= 4
static void run(int* data) {
  char parts[k_parts * k_part] = {0};
  MPI_Request partitioned = MPI_REQUEST_NULL, broadcast;
  if (g_rank == 0)
    MPI_Precv_init(parts, k_parts, k_part, MPI_BYTE, 1, k_tag, MPI_COMM_WORLD, MPI_INFO_NULL, &partitioned);
  if (g_rank == 1)
    MPI_Psend_init(parts, k_parts, k_part, MPI_BYTE, 0, k_tag, MPI_COMM_WORLD, MPI_INFO_NULL, &partitioned);
  for (int round = 0; round < k_rounds; ++round) {
    data[0] = data[k_count - 1] = g_rank == 0 ? round : -1;
    if (g_rank < 2) MPI_Start(&partitioned);
    MPI_Ibcast(data, k_count, MPI_INT, 0, MPI_COMM_WORLD, &broadcast);
    int has_arrived = 0;
    if (g_rank == 0)
      while (!has_arrived) MPI_Parrived(partitioned, 0, &has_arrived);
    MPI_Wait(&broadcast, MPI_STATUS_IGNORE);
    if (g_rank == 1)
      for (int part = 0; part < k_parts; ++part) MPI_Pready(part, partitioned);
    if (g_rank < 2) MPI_Wait(&partitioned, MPI_STATUS_IGNORE);
    CHECK(data[0] == round && data[k_count - 1] == round, "round %d: %d", round, data[0]);
  }
  if (g_rank < 2) MPI_Request_free(&partitioned);
}
#else
static void run(int* data) {
  CHECK(data != NULL, "no partitioned communication here");
}
#endif

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int* const data = allocate_ints(k_count, 0);
  run(data);
  free(data);
  return check_finish("arrived");
}
