// One collective of SimGrid's SMPI, in simulated time: for each size the time of the slowest rank of a call that all
// begin at the same moment, in seconds.
//
//   smpirun … collective COLLECTIVE BYTES…
#include <mpi.h>
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_calls = 2 };  // after one that is not counted: some selectors prepare themselves

static int g_ranks;

static void bcast(char* in, char* out, int bytes) {
  (void)in;
  MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void reduce(char* in, char* out, int bytes) {
  MPI_Reduce(in, out, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
}
static void allreduce(char* in, char* out, int bytes) {
  MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}
static void allgather(char* in, char* out, int bytes) {
  MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(char* in, char* out, int bytes) {
  MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void gather(char* in, char* out, int bytes) {
  MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void barrier(char* in, char* out, int bytes) {
  (void)in, (void)out, (void)bytes;
  MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*call)(char* in, char* out, int bytes);
} k_collectives[] = {{"bcast", bcast},         {"reduce", reduce},     {"allreduce", allreduce},
                     {"allgather", allgather}, {"alltoall", alltoall}, {"gather", gather},
                     {"barrier", barrier}};

static double slowest(void (*call)(char*, char*, int), char* in, char* out, int bytes) {
  double now = MPI_Wtime(), latest;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  sg_actor_sleep_until(latest + 1);
  const double begin = MPI_Wtime();
  call(in, out, bytes);
  double took = MPI_Wtime() - begin, most;
  MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void measure(void (*call)(char*, char*, int), int bytes) {
  char* const in = calloc((size_t)bytes + 1, (size_t)g_ranks);
  char* const out = calloc((size_t)bytes + 1, (size_t)g_ranks);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0;
  for (int i = 0; i <= k_calls; ++i) {
    const double took = slowest(call, in, out, bytes);
    if (i > 0) sum += took;
  }
  if (rank == 0) printf("%d %.12f\n", bytes, sum / k_calls);
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  for (size_t c = 0; argc > 1 && c < sizeof k_collectives / sizeof *k_collectives; ++c)
    if (strcmp(argv[1], k_collectives[c].name) == 0)
      for (int i = 2; i < argc; ++i) measure(k_collectives[c].call, atoi(argv[i]));
  MPI_Finalize();
  return 0;
}
