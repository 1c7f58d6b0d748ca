// Persistent collectives in numbers: started a thousand times, thousands of them under way, more initialised
// one after the other than numbers of 16 bits can tell apart, and of a communicator that has been freed.
#include "persistent.h"

#include "check.h"

#include <stdlib.h>

enum { k_starts = 1000, k_under_way = 2000, k_in_a_row = 70000, k_count = 3000 };

static void started_often(MPI_Comm comm) {
  int mine = 0, sum = -1, wrong = 0;
  MPI_Request request;
  MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  for (int i = 0; i < k_starts; ++i) {
    mine = i;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum != i * g_size;
  }
  CHECK(wrong == 0, "%d of %d starts are wrong", wrong, k_starts);
  MPI_Request_free(&request);
}

static void under_way(MPI_Comm comm) {
  int* mine = allocate_ints(k_under_way, 0);
  int* sums = allocate_ints(k_under_way, -1);
  MPI_Request* requests = allocate(k_under_way * sizeof *requests);
  for (int i = 0; i < k_under_way; ++i)
    MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[i]);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < k_under_way; ++i) mine[i] = i + round;
    MPI_Startall(k_under_way, requests);
    for (int i = 0; i < k_under_way / 2; ++i)  // every second, from the back
      MPI_Wait(&requests[k_under_way - 1 - 2 * i], MPI_STATUS_IGNORE);
    MPI_Waitall(k_under_way, requests, MPI_STATUSES_IGNORE);
    int wrong = 0;
    for (int i = 0; i < k_under_way; ++i) wrong += sums[i] != (i + round) * g_size;
    CHECK(wrong == 0, "%d of %d sums are wrong", wrong, k_under_way);
  }
  for (int i = 0; i < k_under_way; ++i) MPI_Request_free(&requests[i]);
  free(mine);
  free(sums);
  free(requests);
}

// Some requests live all the while.
static void in_a_row(MPI_Comm comm) {
  MPI_Request old[3], request;
  int mine[3], sums[3], sum = -1, wrong = 0;
  for (int i = 0; i < 3; ++i)
    MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &old[i]);
  for (int i = 0; i < k_in_a_row; ++i) {
    MPI_Allreduce_init(&i, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    const bool is_started = i % 1000 == 0;
    for (int k = 0; is_started && k < 3; ++k) mine[k] = i + k;
    if (is_started) {
      MPI_Startall(3, old);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Waitall(3, old, MPI_STATUSES_IGNORE);
      wrong += sum != i * g_size;
    }
    for (int k = 0; is_started && k < 3; ++k) wrong += sums[k] != (i + k) * g_size;
    MPI_Request_free(&request);
  }
  CHECK(wrong == 0, "%d sums in a row are wrong", wrong);
  for (int i = 0; i < 3; ++i) MPI_Request_free(&old[i]);
}

static void of_a_freed_communicator(void) {
  int* sum = allocate_ints(k_count, 0);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce_init(MPI_IN_PLACE, sum, k_count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < k_count; ++i) sum[i] = 1;
    MPI_Start(&request);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum[0] == g_size && sum[k_count - 1] == g_size, "a collective of a freed communicator");
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum[0] == g_size * g_size, "started after its communicator was freed");
    MPI_Request_free(&request);
  }
  free(sum);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  if (argc > 1 && argv[1][0] == 'f') {
    of_a_freed_communicator();
  } else {
    started_often(MPI_COMM_WORLD);
    under_way(MPI_COMM_WORLD);
    in_a_row(MPI_COMM_WORLD);
  }
  return check_finish("persistent_many");
}
