// In-place MPI_Reduce of 4 KB and more to every root. MPICH 4.0.2 crashes here when the root is not its
// node's first rank.
#include "check.h"

#include <stdlib.h>

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int counts[] = {1024, 5003, 100000};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    for (int root = 0; root < g_size; ++root) {
      const int count = counts[i];
      int* data = allocate_ints((size_t)count, 0);
      for (int j = 0; j < count; ++j) data[j] = g_rank * j;
      if (g_rank == root)
        MPI_Reduce(MPI_IN_PLACE, data, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
      else
        MPI_Reduce(data, NULL, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
      const int factor = g_rank == root ? g_size * (g_size - 1) / 2 : g_rank;
      bool good = true;
      for (int j = 0; j < count; ++j) good = good && data[j] == factor * j;
      CHECK(good, "reduce of %d at %d", count, root);
      free(data);
    }
  return check_finish("reduce_in_place");
}
