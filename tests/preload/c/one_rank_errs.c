// Nonblocking collectives with arguments that are wrong on all ranks, or on one rank alone: later ones match on all
// ranks. Run by actors.py, because not every MPI continues after the second.

#include "check.h"

enum { ROUNDS = 20, COUNT = 4 };

// Returns the error class of the start; the operation of a wrong call is given up.
static int start(const void* in, void* out, MPI_Datatype type, MPI_Op op, MPI_Request* request) {
  int class = MPI_SUCCESS;
  *request = MPI_REQUEST_NULL;
  MPI_Error_class(MPI_Iexscan(in, out, COUNT, type, op, MPI_COMM_WORLD, request), &class);
  return class;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const bool is_last = g_rank == g_size - 1;
  MPI_Request request;
  for (int round = 0; round < ROUNDS; ++round) {
    float numbers[COUNT] = {0}, sums[COUNT];
    char mine[COUNT], most[COUNT] = {0};
    for (int i = 0; i < COUNT; ++i) mine[i] = (char)(g_rank + round);
    CHECK(start(numbers, sums, MPI_FLOAT, MPI_BAND, &request) == MPI_ERR_OP, "no bits of floats");
    if (round % 3 == 1) {
      const int class = start(mine, is_last ? NULL : most, MPI_CHAR, MPI_MAX, &request);
      CHECK(class == (is_last ? MPI_ERR_BUFFER : MPI_SUCCESS), "class %d", class);
      if (class == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    CHECK(start(mine, most, MPI_CHAR, MPI_MAX, &request) == MPI_SUCCESS, "round %d", round);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "round %d", round);
    CHECK(g_rank == 0 || most[COUNT - 1] == (char)(g_rank - 1 + round), "round %d: %d", round,
          most[COUNT - 1]);
  }
  return check_finish("one_rank_errs");
}
