// Reductions whose input and output are one buffer, which MPI forbids and MPICH lets pass with
// MPIR_CVAR_COLL_ALIAS_CHECK=0: such a call must not be refused then by Tutti either.
#include "check.h"

#include <stdlib.h>

enum { k_count = 20000 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int* data = allocate_ints(k_count, 0);
  for (int i = 0; i < k_count; ++i) data[i] = g_rank + i;
  CHECK(MPI_Allreduce(data, data, k_count, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS, "allreduce");
  CHECK(data[5] == g_size + 4, "allreduce: %d", data[5]);
  for (int i = 0; i < k_count; ++i) data[i] = g_rank + i;
  CHECK(MPI_Reduce(data, data, k_count, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD) == MPI_SUCCESS, "reduce");
  CHECK(g_rank != 0 || data[5] == g_size + 4, "reduce: %d", data[5]);
  for (int i = 0; i < k_count; ++i) data[i] = g_rank + i;
  CHECK(MPI_Scan(data, data, k_count, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS, "scan");
  CHECK(data[5] == g_rank + 5, "scan: %d", data[5]);
  free(data);
  return check_finish("aliased_reductions");
}
