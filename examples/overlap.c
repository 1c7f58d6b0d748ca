/* A transposition that goes on while the program computes: ranks exchange blocks of a vector again and again,
 * and work on the blocks of the round before meanwhile.
 *
 *   mpicc overlap.c -ltutti-mpich -o overlap && mpirun -n 4 ./overlap
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti/tutti.h>

enum { k_block = 20000, k_rounds = 10 };

/* Ends the job where something is wrong. */
static void check(int code) {
  if (code == TUTTI_SUCCESS) return;
  fprintf(stderr, "overlap: %s (%s)\n", tutti_last_error(), tutti_error_string(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double sum_of(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(tutti_init());
  check(tutti_hint("calls", "10"));

  /* Two pairs of buffers: one is exchanged, the other one is worked on. */
  const int count = k_block * size;
  double* sent[2];
  double* received[2];
  tutti_request requests[2];
  for (int i = 0; i < 2; ++i) {
    sent[i] = malloc(sizeof(double) * (size_t)count);
    received[i] = calloc((size_t)count, sizeof(double));
    check(tutti_alltoall_init(sent[i], k_block, MPI_DOUBLE, received[i], k_block, MPI_DOUBLE, MPI_COMM_WORLD,
                              &requests[i]));
  }

  double total = 0;
  for (int round = 0; round < k_rounds; ++round) {
    const int now = round % 2, before = 1 - now;
    for (int i = 0; i < count; ++i) sent[now][i] = rank + round;
    check(tutti_start(&requests[now]));
    if (round > 0) total += sum_of(received[before], count); /* while the exchange goes on */
    check(tutti_wait(&requests[now]));
  }
  total += sum_of(received[(k_rounds - 1) % 2], count);

  for (int i = 0; i < 2; ++i) {
    check(tutti_request_free(&requests[i]));
    free(sent[i]);
    free(received[i]);
  }
  check(tutti_finalize());

  /* Every rank has received k_block times every rank plus the round, in every round. */
  const double expected =
      (double)k_block * (k_rounds * (size * (size - 1) / 2.0) + size * (k_rounds * (k_rounds - 1) / 2.0));
  if (rank == 0) printf("overlap: total %.0f, expected %.0f\n", total, expected);
  MPI_Finalize();
  return total == expected ? 0 : 1;
}
