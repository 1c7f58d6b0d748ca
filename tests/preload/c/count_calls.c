// The calls with MPI_Count arguments of MPI 4, with small counts: they are symbols of their own, which a
// library must take or leave as a whole. An MPI 3 library has none; the program then checks nothing.
#include "check.h"

#if MPI_VERSION >= 4
static void check_calls(void) {
  int all[64] = {0};
  int expected_sum = g_size * (g_size - 1) / 2;
  int data = g_rank == 0 ? 31 : 0;
  MPI_Bcast_c(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(data == 31, "MPI_Bcast_c gave %d", data);
  int sum = 0;
  MPI_Allreduce_c(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == expected_sum, "MPI_Allreduce_c gave %d", sum);
  MPI_Reduce_c(&g_rank, &sum, 1, MPI_INT, MPI_SUM, g_size - 1, MPI_COMM_WORLD);
  CHECK(sum == expected_sum, "MPI_Reduce_c gave %d", sum);
  MPI_Allgather_c(&g_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < g_size; ++peer) CHECK(all[peer] == peer, "MPI_Allgather_c gave %d", all[peer]);
  int outgoing[64];
  for (int peer = 0; peer < g_size; ++peer) outgoing[peer] = g_rank * 100 + peer;
  MPI_Alltoall_c(outgoing, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < g_size; ++peer) CHECK(all[peer] == peer * 100 + g_rank, "MPI_Alltoall_c");
  MPI_Scan_c(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_rank * (g_rank + 1) / 2, "MPI_Scan_c gave %d", sum);
  MPI_Gather_c(&g_rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int peer = 0; g_rank == 0 && peer < g_size; ++peer) CHECK(all[peer] == peer, "MPI_Gather_c");
  MPI_Scatter_c(outgoing, 1, MPI_INT, &data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(data == g_rank, "MPI_Scatter_c gave %d", data);
}
#else
static void check_calls(void) {}
#endif

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  check_calls();
  MPI_Barrier(MPI_COMM_WORLD);
  return check_finish("count_calls");
}
