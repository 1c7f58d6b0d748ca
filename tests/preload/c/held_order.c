// Nonblocking collectives whose server the ranks have not agreed on yet, and between them calls that the MPI puts in
// order with its own collectives: neighbourhood collectives and duplicates of the communicator, blocking and not.
#include "check.h"

#include <stdlib.h>
#include <time.h>

enum {
  k_rounds = 12,
  k_calls = 40,
  k_between = 7,
  k_count = 10000,
  k_small = 1000,
  k_kinds = 4,
  k_more = k_calls / k_between + 1
};

static int* g_data[k_calls];
static int* g_mine;
static int* g_of_neighbour[k_more];
static int g_source;
static unsigned g_state;
static MPI_Request g_duplicating = MPI_REQUEST_NULL;

/// Now and then a rank is late, each at other times.
static void be_late(void) {
  g_state = g_state * 1103515245u + 12345u;
  if (g_state >> 16 & 7) return;
  const struct timespec pause = {0, (long)(g_state >> 19 & 0x7FF) * 1000};
  nanosleep(&pause, NULL);
}

/// Returns how many requests it has begun. Of duplicates one at a time is under way: where the MPI is called in
/// between, several that are end badly in Open MPI 4.1 alone.
static int call_between(int kind, MPI_Comm ring, int* of_neighbour, MPI_Comm* made, MPI_Request* request) {
  switch (kind) {
    case 0:
      MPI_Ineighbor_allgather(g_mine, k_small, MPI_INT, of_neighbour, k_small, MPI_INT, ring, request);
      return 1;
    case 1:
      MPI_Neighbor_allgather(g_mine, k_small, MPI_INT, of_neighbour, k_small, MPI_INT, ring);
      return 0;
    case 2:
      MPI_Wait(&g_duplicating, MPI_STATUS_IGNORE);
      MPI_Comm_idup(ring, made, &g_duplicating);
      return 0;
    default:
      MPI_Comm_dup(ring, made);
      return 0;
  }
}

static void check_between(int kind, int round, int count, MPI_Comm made[]) {
  for (int m = 0; m < count; ++m) {
    for (int i = 0; kind < 2 && i < k_small; i += 37)
      CHECK(g_of_neighbour[m][i] == value_of(g_source, (size_t)i, (unsigned)round), "kind %d, round %d: %d",
            kind, round, g_of_neighbour[m][i]);
    if (kind < 2) continue;
    int sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, made[m]);
    CHECK(sum == g_size, "duplicate of %d ranks", sum);
    MPI_Comm_free(&made[m]);
  }
}

static void run_round(int kind, int round, MPI_Comm ring) {
  MPI_Request requests[k_calls + k_more];
  MPI_Comm made[k_more];
  int count = 0, more = 0;
  const int root = round % g_size;
  for (int i = 0; i < k_small; ++i) g_mine[i] = value_of(g_rank, (size_t)i, (unsigned)round);
  for (int i = 0; i < k_calls; ++i) {
    for (int at = 0; at < k_count; ++at) g_data[i][at] = g_rank == root ? round + i : -1;
    be_late();
    MPI_Ibcast(g_data[i], k_count, MPI_INT, root, ring, &requests[count++]);
    if (i % k_between != k_between / 2) continue;
    count += call_between(kind, ring, g_of_neighbour[more], &made[more], &requests[count]);
    ++more;
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  MPI_Wait(&g_duplicating, MPI_STATUS_IGNORE);
  for (int i = 0; i < k_calls; ++i)
    for (int at = 0; at < k_count; at += 97)
      CHECK(g_data[i][at] == round + i, "round %d, broadcast %d: %d", round, i, g_data[i][at]);
  check_between(kind, round, more, made);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_state = (unsigned)g_rank * 77 + 5;
  g_source = (g_rank + g_size - 1) % g_size;
  const int target = (g_rank + 1) % g_size, weight = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &g_source, &weight, 1, &target, &weight, MPI_INFO_NULL, 0,
                                 &ring);
  for (int i = 0; i < k_calls; ++i) g_data[i] = allocate_ints(k_count, 0);
  g_mine = allocate_ints(k_small, 0);
  for (int i = 0; i < k_more; ++i) g_of_neighbour[i] = allocate_ints(k_small, 0);
  for (int kind = 0; kind < k_kinds; ++kind)
    for (int round = 0; round < k_rounds; ++round) run_round(kind, round, ring);
  MPI_Comm_free(&ring);
  for (int i = 0; i < k_calls; ++i) free(g_data[i]);
  free(g_mine);
  for (int i = 0; i < k_more; ++i) free(g_of_neighbour[i]);
  return check_finish("held_order");
}
