// A process that may open few files more: what a library opens beside the MPI must leave it as it is natively
// (docs/mpi-semantics.md). All collectives that others than the MPI may carry out, with all peers.
//
//   few_files MORE        the limit before MPI_Init, counted from what is open

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { k_block = 1 << 16, k_rounds = 8 };

/// The process has so many descriptors left, whatever it has inherited.
static void limit_files(int more) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  rlim_t number = 0;
  for (; more > 0 && number < limit.rlim_cur; ++number)
    if (fcntl((int)number, F_GETFD) < 0) --more;
  limit.rlim_cur = number;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static unsigned char pattern(int rank, int round, int i) {
  return (unsigned char)(rank * 37 + round * 11 + i);
}

int main(int argc, char** argv) {
  limit_files(argc > 1 ? atoi(argv[1]) : 30);
  check_init(&argc, &argv);
  unsigned char* const mine = allocate(k_block);
  unsigned char* const all = allocate((size_t)k_block * (size_t)g_size);
  for (int round = 0; round < k_rounds; ++round) {
    for (int i = 0; i < k_block; ++i) mine[i] = pattern(g_rank, round, i);
    MPI_Allgather(mine, k_block, MPI_BYTE, all, k_block, MPI_BYTE, MPI_COMM_WORLD);
    bool is_right = true;
    for (int rank = 0; rank < g_size; ++rank)
      for (int i = 0; i < k_block; i += 61)
        is_right = is_right && all[rank * k_block + i] == pattern(rank, round, i);
    CHECK(is_right, "an allgather");
    MPI_Request request;
    MPI_Ibcast(mine, k_block, MPI_BYTE, round % g_size, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(mine[1] == pattern(round % g_size, round, 1), "a nonblocking broadcast");
    MPI_Alltoall(MPI_IN_PLACE, k_block / 64, MPI_BYTE, all, k_block / 64, MPI_BYTE, MPI_COMM_WORLD);
  }
  free(all);
  free(mine);
  return check_finish("few_files");
}
