// Pending work for a late peer must not delay another operation of the same rank, nor the program after that
// operation.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 5, k_messages = 40, k_count = 7500, k_tag = 7 };

static MPI_Comm g_with_late;     // rank 0 and the last one
static MPI_Comm g_without_late;  // all but the last one

static int content(int round, int message) {
  return round * k_messages + message + 1;
}

static void start(int round, int** data, MPI_Request* requests) {
  for (int m = 0; m < k_messages; ++m) {
    data[m] = allocate_ints(k_count, g_rank == 0 ? content(round, m) : 0);
    MPI_Ibcast(data[m], k_count, MPI_INT, 0, g_with_late, &requests[m]);
  }
}

static void finish(int round, int** data, MPI_Request* requests) {
  MPI_Waitall(k_messages, requests, MPI_STATUSES_IGNORE);
  for (int m = 0; m < k_messages; ++m) {
    CHECK(data[m][0] == content(round, m) && data[m][k_count - 1] == content(round, m),
          "round %d, message %d: %d", round, m, data[m][0]);
    free(data[m]);
  }
}

static void sum_of_the_early(int round) {
  int sum = g_rank + round;
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, g_without_late, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int count = g_size - 1;
  CHECK(sum == count * (count - 1) / 2 + count * round, "round %d: sum %d", round, sum);
}

static void go(int round) {
  int* data[k_messages];
  MPI_Request requests[k_messages];
  int word = round;
  if (g_rank == 0) {
    start(round, data, requests);
    sum_of_the_early(round);
    MPI_Send(&word, 1, MPI_INT, g_size - 1, k_tag, MPI_COMM_WORLD);
    finish(round, data, requests);
  } else if (g_rank < g_size - 1) {
    sum_of_the_early(round);
  } else {
    MPI_Recv(&word, 1, MPI_INT, 0, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start(round, data, requests);
    finish(round, data, requests);
  }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int is_late = g_rank == g_size - 1;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank == 0 || is_late ? 0 : MPI_UNDEFINED, g_rank, &g_with_late);
  MPI_Comm_split(MPI_COMM_WORLD, is_late ? MPI_UNDEFINED : 0, g_rank, &g_without_late);
  for (int round = 0; round < k_rounds; ++round) go(round);
  if (g_with_late != MPI_COMM_NULL) MPI_Comm_free(&g_with_late);
  if (g_without_late != MPI_COMM_NULL) MPI_Comm_free(&g_without_late);
  return check_finish("late_peer");
}
