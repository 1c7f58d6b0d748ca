// Collectives that end after the program has freed their communicator.
#include "check.h"

#include <stdlib.h>

enum { k_count = 20000, k_rounds = 50 };

static void free_before_the_end(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int* sum = allocate_ints(k_count, -1);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, sum, k_count, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum[0] == -g_size && sum[k_count - 1] == -g_size, "a collective of a freed communicator");
  free(sum);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for (int i = 0; i < k_rounds; ++i) free_before_the_end();
  return check_finish("nonblocking_freed");
}
