// Persistent collectives that are started often enough for run-time selection to try candidates in them,
// while ranks are late at random, start them in different orders.
#include "persistent.h"

#include "check.h"

#include <stdlib.h>
#include <unistd.h>

enum { k_count = 70000, k_starts = 150 };

static void be_late(int rank, int start) {
  const int32_t chance = value_of(rank, (size_t)start, 78);
  if (chance % 16 == 0) usleep((useconds_t)(chance % 2000));
}

static void visit(MPI_Comm comm, int rank, int size) {
  MPI_Comm own;
  MPI_Comm_dup(comm, &own);
  int *in = allocate_ints(k_count, 0), *sums = allocate_ints(k_count, 0), *news = allocate_ints(k_count, 0);
  MPI_Request requests[2];
  MPI_Allreduce_init(in, sums, k_count, MPI_INT, MPI_SUM, own, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(news, k_count, MPI_INT, size - 1, own, MPI_INFO_NULL, &requests[1]);
  int wrong = 0;
  for (int start = 0; start < k_starts; ++start) {
    for (int i = 0; i < k_count; i += 997) in[i] = start + rank + i;
    if (rank == size - 1) news[start] = 3 * start;
    const int first = (rank + start) % 2;
    MPI_Start(&requests[first]);
    be_late(rank, start);
    MPI_Start(&requests[1 - first]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < k_count; i += 997) wrong += sums[i] != size * (start + i) + size * (size - 1) / 2;
    wrong += news[start] != 3 * start;
  }
  CHECK(wrong == 0, "%d results of persistent collectives are wrong", wrong);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm_free(&own);
  free(in), free(sums), free(news);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  visit(MPI_COMM_WORLD, g_rank, g_size);
  return check_finish("selecting_persistent");
}
