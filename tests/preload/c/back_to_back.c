// Many small collectives one after the other without anything between: sequence numbers and tags wrap,
// and fast ranks run ahead of slow ones. Argument: how many.
#include "check.h"

#include <stdlib.h>

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int calls = argc > 1 ? atoi(argv[1]) : 10000;
  int wrong = 0;
  for (int i = 0; i < calls; ++i) {
    const int root = i % g_size;
    int value = g_rank == root ? i : -1;
    int sum = 0;
    switch (i % 4) {
      case 0:
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        wrong += value != i;
        break;
      case 1:
        value = g_rank + i;
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        wrong += g_rank == root && sum != g_size * i + g_size * (g_size - 1) / 2;
        break;
      case 2:
        value = g_rank ^ i;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
        for (int rank = 0; rank < g_size; ++rank) sum ^= rank ^ i;
        wrong += sum != 0;
        break;
      default:
        MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  CHECK(wrong == 0, "%d of %d collectives were wrong", wrong, calls);
  return check_finish("back_to_back");
}
