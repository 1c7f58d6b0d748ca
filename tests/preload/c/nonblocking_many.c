// Thousands of requests in flight that are completed in another order, and more operations on one
// communicator than any sequence number of 16 bits can tell apart; or as many as are asked for.
#include "check.h"

#include <stdlib.h>

enum { k_in_flight = 10000, k_in_a_row = 70000 };

static void in_flight(void) {
  int* sums = allocate_ints(k_in_flight, 0);
  MPI_Request* requests = allocate(k_in_flight * sizeof *requests);
  for (int i = 0; i < k_in_flight; ++i) {
    sums[i] = i + g_rank;
    MPI_Iallreduce(MPI_IN_PLACE, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < k_in_flight / 2; ++i)  // every second, from the back
    MPI_Wait(&requests[k_in_flight - 1 - 2 * i], MPI_STATUS_IGNORE);
  MPI_Waitall(k_in_flight, requests, MPI_STATUSES_IGNORE);
  int wrong = 0;
  for (int i = 0; i < k_in_flight; ++i) wrong += sums[i] != i * g_size + g_size * (g_size - 1) / 2;
  CHECK(wrong == 0, "%d sums are wrong", wrong);
  free(sums);
  free(requests);
}

static void in_a_row(int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  int completed = 0;
  while (completed < count && MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
         MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS)
    ++completed;
  CHECK(completed == count, "only %d barriers in a row of %d", completed, count);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  in_flight();
  in_a_row(argc > 1 ? atoi(argv[1]) : k_in_a_row);
  return check_finish("nonblocking_many");
}
