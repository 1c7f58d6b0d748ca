// Calls that a tool counts (tool.c): 3 barriers, 5 reductions, one message, one duplicate, two waits, one test.

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int sum = 0, wrong = 0;
  for (int i = 0; i < 5; ++i) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != size * (size - 1) / 2;
  }
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (rank == 0) MPI_Send(&size, 1, MPI_INT, 1, 7, other);
  if (rank == 1) {
    MPI_Recv(&sum, 1, MPI_INT, 0, 7, other, MPI_STATUS_IGNORE);
    wrong += sum != size;
  }
  MPI_Comm_free(&other);
  MPI_Request request;
  for (int i = 0; i < 2; ++i) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int is_done = 0;
  MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  wrong += !is_done;
  MPI_Finalize();
  return wrong != 0;
}
