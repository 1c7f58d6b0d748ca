// A program with OpenMP: threads that stay from region to region, and are there at the end.
#include "check.h"

#include <omp.h>

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  omp_set_num_threads(4);
  omp_set_dynamic(0);
  double values[64], all[64];
  for (int round = 0; round < 50; ++round) {
    double sum = 0;
    int threads = 0;
#pragma omp parallel reduction(+ : sum, threads)
    {
      threads += omp_in_parallel();
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 64; ++i) {
        values[i] = g_rank + i + round;
        sum += values[i];
      }
    }
    CHECK(threads == 4, "%d threads", threads);
    CHECK(sum == 64.0 * (g_rank + round) + 64 * 63 / 2, "the sum of round %d is %g", round, sum);
    MPI_Allreduce(values, all, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 64; ++i)
      CHECK(all[i] == g_size * (i + round) + g_size * (g_size - 1) / 2, "element %d of round %d is %g", i,
            round, all[i]);
  }
  return check_finish("openmp");
}
