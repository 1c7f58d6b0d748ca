// Waiting for persistent collectives of the MPI, mixed with messages, while a nonblocking collective of another
// communicator is under way.
#include "check.h"

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define BARRIER_INIT MPIX_Barrier_init
#else
#define BARRIER_INIT MPI_Barrier_init
#endif

enum { k_rounds = 30, k_count = 20000, k_tag = 5 };

static int wait_with(int kind, MPI_Request* requests) {
  int result = MPI_SUCCESS, done = 0, indices[4];
  if (kind == 0) return MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int ended = 0; ended < 4 && result == MPI_SUCCESS; ended += kind == 1 ? 1 : done)
    result = kind == 1 ? MPI_Waitany(4, requests, &done, MPI_STATUS_IGNORE)
                       : MPI_Waitsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
  return result;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Request persistent[2];
  for (int i = 0; i < 2; ++i) BARRIER_INIT(MPI_COMM_WORLD, MPI_INFO_NULL, &persistent[i]);
  static int sums[k_count];
  for (int round = 0; round < k_rounds; ++round) {
    for (int i = 0; i < k_count; ++i) sums[i] = g_rank + i;
    MPI_Request sum;
    MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, other, &sum);
    MPI_Request requests[4] = {persistent[0], persistent[1]};
    int sent = round, received = -1;
    MPI_Startall(2, requests);
    MPI_Irecv(&received, 1, MPI_INT, (g_rank + g_size - 1) % g_size, k_tag, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&sent, 1, MPI_INT, (g_rank + 1) % g_size, k_tag, MPI_COMM_WORLD, &requests[3]);
    CHECK(wait_with(round % 3, requests) == MPI_SUCCESS, "round %d: waiting failed", round);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
    CHECK(received == round && sums[3] == g_size * (g_size - 1) / 2 + 3 * g_size, "round %d: %d", round,
          received);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&persistent[i]);
  MPI_Comm_free(&other);
  return check_finish("native_persistent");
}
