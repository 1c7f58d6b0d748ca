/* Linked with Tutti: says which version serves it, and whether a broadcast arrives. */
#include <mpi.h>
#include <stdio.h>
#include <tutti/version.h>

int main(int argc, char** argv) {
  int rank = 0;
  int value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) value = 42;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("tutti %s sum %d\n", tutti_version(), sum);
  MPI_Finalize();
  return 0;
}
