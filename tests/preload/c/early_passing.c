// A program that calls PMPI_* itself, with data that a collective has just received.

#include "check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_block = 64 * 4096, k_rounds = 10, k_late_us = 5000, k_tag = 1 };

static unsigned char* pages(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int pattern(int round, int from, int to) {
  return value_of(from * 64 + to, (size_t)round, 5) % 256;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const size_t bytes = (size_t)g_size * k_block;
  unsigned char *const sent = pages(bytes), *const received = pages(bytes), *const passed_on = pages(k_block);
  const int next = (g_rank + 1) % g_size, before = (g_rank + g_size - 1) % g_size;
  for (int round = 0; round < k_rounds; ++round) {
    const int late = round % g_size;
    for (int to = 0; to < g_size; ++to)
      memset(sent + (size_t)to * k_block, pattern(round, g_rank, to), k_block);
    if (g_rank == late) usleep(k_late_us);
    MPI_Alltoall(sent, k_block, MPI_BYTE, received, k_block, MPI_BYTE, MPI_COMM_WORLD);
    PMPI_Sendrecv(received + (size_t)late * k_block, k_block, MPI_BYTE, next, k_tag, passed_on, k_block,
                  MPI_BYTE, before, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int expected = pattern(round, late, before);
    CHECK(passed_on[0] == expected && memcmp(passed_on, passed_on + 1, k_block - 1) == 0, "round %d", round);
  }
  munmap(sent, bytes);
  munmap(received, bytes);
  munmap(passed_on, k_block);
  return check_finish("early_passing");
}
