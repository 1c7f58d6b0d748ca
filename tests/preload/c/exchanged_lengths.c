// MPI_Alltoallv in which the last rank asks for fewer or more elements from one rank than that sends. MPI calls that an
// error of the program and promises nothing; under Tutti every rank goes on, and the last one hears of it.
#include "check.h"

#include <stdlib.h>

enum { k_count = 5, k_distance = 2 * k_count };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const size_t total = (size_t)g_size * k_distance;
  int *in = allocate_ints(total, g_rank), *out = allocate_ints(total, -1);
  int *sent = allocate_ints((size_t)g_size, k_count), *received = allocate_ints((size_t)g_size, k_count);
  int* displacements = allocate_ints((size_t)g_size, 0);
  for (int peer = 0; peer < g_size; ++peer) displacements[peer] = peer * k_distance;
  for (int peer = 0; peer < g_size - 1; ++peer)
    for (int more = -1; more <= 1; ++more) {
      const int is_wrong = g_rank == g_size - 1 && more != 0;
      received[peer] = k_count + (is_wrong ? more : 0);
      const int code = MPI_Alltoallv(in, sent, displacements, MPI_INT, out, received, displacements, MPI_INT,
                                     MPI_COMM_WORLD);
      int error_class = MPI_SUCCESS;
      MPI_Error_class(code, &error_class);
      CHECK(error_class == (is_wrong ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "class %d with %d more", error_class,
            more);
      for (int from = 0; from < g_size; ++from)
        for (int i = 0; i < k_count && !is_wrong; ++i)
          CHECK(out[displacements[from] + i] == from, "element %d from %d", i, from);
      received[peer] = k_count;
    }
  free(in), free(out), free(sent), free(received), free(displacements);
  return check_finish("exchanged_lengths");
}
