// A communicator that came without a blocking call: native collectives on it must not keep ranks from what they have
// started elsewhere.
#include "check.h"

enum { k_rounds = 20, k_count = 20000 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm other;
  MPI_Request made;
  MPI_Comm_idup(MPI_COMM_WORLD, &other, &made);
  MPI_Wait(&made, MPI_STATUS_IGNORE);
  static int sums[k_count];
  for (int round = 0; round < k_rounds; ++round) {
    for (int i = 0; i < k_count; ++i) sums[i] = g_rank + i;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (g_rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(other);
    int word = g_rank == 0 ? round : -1;
    MPI_Bcast(&word, 1, MPI_INT, 0, other);
    if (g_rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int expected = g_size * (g_size - 1) / 2;
    CHECK(word == round && sums[0] == expected && sums[k_count - 1] == expected + g_size * (k_count - 1),
          "round %d", round);
  }
  MPI_Comm_free(&other);
  return check_finish("unseen");
}
