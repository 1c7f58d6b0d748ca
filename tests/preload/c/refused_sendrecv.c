// An MPI_Sendrecv whose sending half is refused leaves nothing behind: the message that its receiving half would have
// taken goes to the next receive. A collective is under way meanwhile, which MPI_Sendrecv may have to move on.
#include "check.h"

#include <stdlib.h>

enum { k_tag = 3, k_rounds = 4, k_count = 100000 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int right = (g_rank + 1) % g_size, left = (g_rank + g_size - 1) % g_size;
  int* data = allocate_ints(k_count, 0);
  for (int round = 0; round < k_rounds; ++round) {
    for (int i = 0; i < k_count; ++i) data[i] = g_rank + i;
    MPI_Request collective;
    MPI_Iallreduce(MPI_IN_PLACE, data, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &collective);
    int swallowed = -1, received = -1, sent = g_rank + 100 * round;
    const int code = round % 2 == 0 ? MPI_Sendrecv(&sent, 1, MPI_INT, g_size, k_tag, &swallowed, 1, MPI_INT,
                                                   left, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                                    : MPI_Sendrecv(&sent, 1, MPI_DATATYPE_NULL, right, k_tag, &swallowed, 1,
                                                   MPI_INT, left, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(code != MPI_SUCCESS, "round %d: a message to nobody was sent", round);
    MPI_Wait(&collective, MPI_STATUS_IGNORE);
    CHECK(data[9] == g_size * (g_size - 1) / 2 + 9 * g_size, "round %d: allreduce", round);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Isend(&sent, 1, MPI_INT, right, k_tag, MPI_COMM_WORLD, &request);
    MPI_Recv(&received, 1, MPI_INT, left, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(received == left + 100 * round && swallowed == -1, "round %d: %d and %d", round, received,
          swallowed);
  }
  free(data);
  return check_finish("refused_sendrecv");
}
