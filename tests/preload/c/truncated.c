// Broadcasts of which the last rank gets less than it is sent, again and again, and calls after them that do not depend
// on how they ended: MPI counts what took place, however badly.
#include "check.h"

#include <stdlib.h>

enum { k_calls = 60, k_count = 20000 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int *in = allocate_ints(k_count, g_rank), *out = allocate_ints(k_count, 0), wrong = 0;
  for (int call = 0; call < k_calls; ++call) {
    char few[16] = "";
    const int code = MPI_Bcast(few, g_rank == g_size - 1 ? 8 : 12, MPI_CHAR, 0, MPI_COMM_WORLD);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    wrong += error_class != (g_rank == g_size - 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    MPI_Allreduce(in, out, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += out[call] != g_size * (g_size - 1) / 2;
  }
  CHECK(wrong == 0, "%d results are wrong", wrong);
  free(in), free(out);
  return check_finish("truncated");
}
