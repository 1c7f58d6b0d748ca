// MPI_Bcast of SimGrid's SMPI with processes that come late, in simulated time: for each size the greatest mean
// time of a rank in the call (paper 000, Definition 2), in seconds.
//
//   smpirun … late_bcast K_SECONDS CALLS BYTES…
#include <mpi.h>
#include <simgrid/actor.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { k_warm_calls = 1 };  // some selectors prepare themselves

// Even in [0, 1), the same on every machine.
static double random_of(int rank, int call) {
  uint64_t x = ((uint64_t)rank << 32 | (uint32_t)call) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

// Starts at a common time when all ranks are idle; a barrier would release them at different times.
static double common_moment(void) {
  double now = MPI_Wtime(), latest;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return latest + 1;
}

static double mean_time(char* buffer, int bytes, double k, int calls, int rank) {
  double sum = 0;
  for (int call = -k_warm_calls; call < calls; ++call) {
    sg_actor_sleep_until(common_moment() + k * random_of(rank, call));
    const double begin = MPI_Wtime();
    MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (call >= 0) sum += MPI_Wtime() - begin;
  }
  return sum / calls;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double k = argc > 3 ? atof(argv[1]) : 0;
  const int calls = argc > 3 ? atoi(argv[2]) : 0;
  for (int i = 3; i < argc && calls > 0; ++i) {
    const int bytes = atoi(argv[i]);
    char* const buffer = calloc((size_t)bytes + 1, 1);
    double mine = mean_time(buffer, bytes, k, calls, rank), greatest;
    MPI_Allreduce(&mine, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %.12f\n", bytes, greatest);
    free(buffer);
  }
  MPI_Finalize();
  return 0;
}
