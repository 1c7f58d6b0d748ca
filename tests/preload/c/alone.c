// Every collective on MPI_COMM_SELF and on a duplicate of it, with and without MPI_IN_PLACE.
#include "check.h"

#include <string.h>

enum { k_count = 5 };

static const int g_mine[k_count] = {3, 1, 4, 1, 5};
static int g_got[k_count];

static void expect(const char* call) {
  CHECK(memcmp(g_got, g_mine, sizeof g_mine) == 0, "%s on one rank", call);
  memset(g_got, 0, sizeof g_got);
}

static void check_moves(MPI_Comm comm) {
  const int counts[1] = {k_count};
  const int zeros[1] = {0};
  const MPI_Datatype types[1] = {MPI_INT};
  memcpy(g_got, g_mine, sizeof g_mine);
  MPI_Bcast(g_got, k_count, MPI_INT, 0, comm);
  expect("bcast");
  MPI_Gather(g_mine, k_count, MPI_INT, g_got, k_count, MPI_INT, 0, comm);
  expect("gather");
  MPI_Gatherv(g_mine, k_count, MPI_INT, g_got, counts, zeros, MPI_INT, 0, comm);
  expect("gatherv");
  MPI_Scatter(g_mine, k_count, MPI_INT, g_got, k_count, MPI_INT, 0, comm);
  expect("scatter");
  MPI_Scatterv(g_mine, counts, zeros, MPI_INT, g_got, k_count, MPI_INT, 0, comm);
  expect("scatterv");
  MPI_Allgather(g_mine, k_count, MPI_INT, g_got, k_count, MPI_INT, comm);
  expect("allgather");
  MPI_Allgatherv(g_mine, k_count, MPI_INT, g_got, counts, zeros, MPI_INT, comm);
  expect("allgatherv");
  MPI_Alltoall(g_mine, k_count, MPI_INT, g_got, k_count, MPI_INT, comm);
  expect("alltoall");
  MPI_Alltoallv(g_mine, counts, zeros, MPI_INT, g_got, counts, zeros, MPI_INT, comm);
  expect("alltoallv");
  MPI_Alltoallw(g_mine, counts, zeros, types, g_got, counts, zeros, types, comm);
  expect("alltoallw");
  memcpy(g_got, g_mine, sizeof g_mine);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, g_got, k_count, MPI_INT, comm);
  expect("allgather in place");
  memcpy(g_got, g_mine, sizeof g_mine);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, g_got, k_count, MPI_INT, comm);
  expect("alltoall in place");
}

static void check_reductions(MPI_Comm comm) {
  const int counts[1] = {k_count};
  MPI_Reduce(g_mine, g_got, k_count, MPI_INT, MPI_SUM, 0, comm);
  expect("reduce");
  MPI_Allreduce(g_mine, g_got, k_count, MPI_INT, MPI_SUM, comm);
  expect("allreduce");
  MPI_Reduce_scatter(g_mine, g_got, counts, MPI_INT, MPI_SUM, comm);
  expect("reduce_scatter");
  MPI_Reduce_scatter_block(g_mine, g_got, k_count, MPI_INT, MPI_SUM, comm);
  expect("reduce_scatter_block");
  MPI_Scan(g_mine, g_got, k_count, MPI_INT, MPI_SUM, comm);
  expect("scan");
  MPI_Exscan(g_mine, g_got, k_count, MPI_INT, MPI_SUM, comm);
  memcpy(g_got, g_mine, sizeof g_mine);
  MPI_Allreduce(MPI_IN_PLACE, g_got, k_count, MPI_INT, MPI_SUM, comm);
  expect("allreduce in place");
  memcpy(g_got, g_mine, sizeof g_mine);
  MPI_Reduce(MPI_IN_PLACE, g_got, k_count, MPI_INT, MPI_SUM, 0, comm);
  expect("reduce in place");
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  const MPI_Comm comms[2] = {MPI_COMM_SELF, copy};
  for (int i = 0; i < 2; ++i) {
    MPI_Barrier(comms[i]);
    check_moves(comms[i]);
    check_reductions(comms[i]);
  }
  MPI_Comm_free(&copy);
  return check_finish("alone");
}
