// Nonblocking collectives outstanding while blocking ones run on the same communicator: what a library passes
// through must stay in order with what it takes.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 30, k_count = 2000 };

static void check_round(MPI_Comm comm, int round) {
  int data[k_count];
  int sums[k_count];
  int mine[k_count];
  int root = round % g_size;
  MPI_Request requests[3];
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < k_count; ++i) data[i] = rank == root ? i + round : -1;
  for (int i = 0; i < k_count; ++i) mine[i] = rank + i;
  MPI_Ibcast(data, k_count, MPI_INT, root, comm, &requests[0]);
  int early = rank == root ? round : -1;
  MPI_Bcast(&early, 1, MPI_INT, root, comm);
  MPI_Iallreduce(mine, sums, k_count, MPI_INT, MPI_SUM, comm, &requests[1]);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Ibarrier(comm, &requests[2]);
  MPI_Barrier(comm);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  bool good = early == round && sum == g_size * (g_size - 1) / 2;
  for (int i = 0; i < k_count; ++i) good = good && data[i] == i + round && sums[i] == sum + g_size * i;
  CHECK(good, "round %d", round);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -g_rank, &reversed);
  for (int round = 0; round < k_rounds; ++round) check_round(round % 2 ? reversed : MPI_COMM_WORLD, round);
  MPI_Comm_free(&reversed);
  return check_finish("nonblocking");
}
