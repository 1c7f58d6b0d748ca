// One-sided communication beside nonblocking collectives, in a program that asks for no threads.
#include "check.h"

enum { k_rounds = 20, k_count = 4000 };

static int g_window[k_count];

static void put(MPI_Win window, int round) {
  static int data[k_count];
  for (int i = 0; i < k_count; ++i) data[i] = value_of(g_rank, (size_t)i, (unsigned)round);
  MPI_Win_fence(0, window);
  MPI_Put(data, k_count, MPI_INT, (g_rank + 1) % g_size, 0, k_count, MPI_INT, window);
  MPI_Win_fence(0, window);
  const int from = (g_rank + g_size - 1) % g_size;
  CHECK(g_window[0] == value_of(from, 0, (unsigned)round) &&
            g_window[k_count - 1] == value_of(from, k_count - 1, (unsigned)round),
        "round %d", round);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Win window;
  MPI_Win_create(g_window, sizeof g_window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int round = 0; round < k_rounds; ++round) {
    static int sums[k_count];
    for (int i = 0; i < k_count; ++i) sums[i] = g_rank + i;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    // One rank waits for the sum before the fence that the others are in: their part in it must not wait.
    if (g_rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    put(window, round);
    if (g_rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int expected = g_size * (g_size - 1) / 2;
    CHECK(sums[0] == expected && sums[k_count - 1] == expected + g_size * (k_count - 1), "round %d", round);
  }
  MPI_Win_free(&window);
  return check_finish("one_sided");
}
