// A thousand live communicators at once, each used, and what they cost in resident memory.
//
// The growth is printed on standard error (it differs from run to run) and must stay below the limit given
// in MiB as the first argument.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_default_limit_mib = 64 };

static long resident_kib(void) {
  FILE* stream = fopen("/proc/self/status", "r");
  char line[200];
  long kib = -1;
  while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0) kib = atol(line + 6);
  if (stream != NULL) fclose(stream);
  return kib;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const long limit_kib = 1024L * (argc > 1 ? atoi(argv[1]) : k_default_limit_mib);
  const int live_count = argc > 2 ? atoi(argv[2]) : 1000;
  MPI_Comm* comms = allocate((size_t)live_count * sizeof(MPI_Comm));

  // The first communicators touch code and buffers that later ones share.
  for (int i = 0; i < 2; ++i) {
    MPI_Comm comm;
    int value = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
  }
  const long before_kib = resident_kib();
  for (int i = 0; i < live_count; ++i) {
    if (i % 2 == 0)
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    else
      MPI_Comm_split(MPI_COMM_WORLD, 0, -g_rank, &comms[i]);
    int sum = 0;
    const int mine = g_rank + i;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
    CHECK(sum == g_size * (g_size - 1) / 2 + g_size * i, "allreduce on communicator %d gave %d", i, sum);
  }
  for (int i = 0; i < live_count; ++i) {
    int rank;
    MPI_Comm_rank(comms[i], &rank);
    int value = rank == i % g_size ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, i % g_size, comms[i]);
    CHECK(value == i, "bcast on communicator %d gave %d", i, value);
  }
  const long growth_kib = resident_kib() - before_kib;
  fprintf(stderr, "rank %d: %d communicators, resident memory grew by %ld KiB\n", g_rank, live_count,
          growth_kib);
  CHECK(before_kib > 0 && growth_kib <= limit_kib, "%d communicators took %ld KiB", live_count, growth_kib);
  for (int i = 0; i < live_count; ++i) MPI_Comm_free(&comms[i]);
  free(comms);
  return check_finish("live_communicators");
}
