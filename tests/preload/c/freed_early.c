// A communicator is freed while a peer is late in its last collective: what Tutti still has under way on it must
// neither hold up the others nor meet what comes after.
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

enum { k_count = 32768, k_before = 13, k_after = 20, k_late_ms = 2500 };

static void broadcast(MPI_Comm comm, int* data, int round) {
  const int root = round % g_size;
  for (int i = 0; i < k_count; ++i)
    data[i] = g_rank == root ? value_of(root, (size_t)i, (unsigned)round) : -1;
  MPI_Bcast(data, k_count, MPI_INT, root, comm);
  bool is_right = true;
  for (int i = 0; i < k_count; ++i)
    is_right = is_right && data[i] == value_of(root, (size_t)i, (unsigned)round);
  CHECK(is_right, "round %d", round);
}

static void rounds(int* data, int count, int late_ms) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int round = 0; round < count; ++round) {
    if (round == count - 1 && g_rank == g_size - 1) usleep((useconds_t)late_ms * 1000);
    broadcast(comm, data, round);
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int* data = allocate_ints(k_count, 0);
  rounds(data, k_before, k_late_ms);
  for (int again = 0; again < 8; ++again) rounds(data, k_after, again < 3 ? 20 : 0);
  rounds(data, k_before, 50);
  free(data);
  return check_finish("freed_early");
}
