// Every data-moving collective at sizes where pipelining and rendezvous begin: 64 KiB, just above 256 KiB
// and 1 MiB for each rank and peer (argument: the largest in KiB), from the first, last and a middle root.
#include "check.h"

#include <stdlib.h>
#include <string.h>

static int item(int from, int to, size_t i) {
  return (int)((unsigned)(from * 131 + to * 17) + (unsigned)i * 2654435761u);
}

static void fill(int* data, size_t count, int from, int to) {
  for (size_t i = 0; i < count; ++i) data[i] = item(from, to, i);
}

static bool holds(const int* data, size_t count, int from, int to) {
  for (size_t i = 0; i < count; ++i)
    if (data[i] != item(from, to, i)) return false;
  return true;
}

static void check_rooted(int root, int count, int* mine, int* all) {
  const size_t n = (size_t)count;
  if (g_rank == root) fill(mine, n, root, 0);
  MPI_Bcast(mine, count, MPI_INT, root, MPI_COMM_WORLD);
  CHECK(holds(mine, n, root, 0), "bcast of %d from %d", count, root);

  fill(mine, n, g_rank, 1);
  MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD);
  for (int peer = 0; g_rank == root && peer < g_size; ++peer)
    CHECK(holds(all + (size_t)peer * n, n, peer, 1), "gather of %d at %d: block of %d", count, root, peer);

  for (int peer = 0; g_rank == root && peer < g_size; ++peer) fill(all + (size_t)peer * n, n, root, peer);
  memset(mine, 0, n * sizeof *mine);
  MPI_Scatter(all, count, MPI_INT, mine, count, MPI_INT, root, MPI_COMM_WORLD);
  CHECK(holds(mine, n, root, g_rank), "scatter of %d from %d", count, root);

  fill(mine, n, g_rank, 0);
  MPI_Reduce(mine, all, count, MPI_INT, MPI_BXOR, root, MPI_COMM_WORLD);
  bool good = true;
  for (size_t i = 0; g_rank == root && good && i < n; ++i) {
    int expected = 0;
    for (int peer = 0; peer < g_size; ++peer) expected ^= item(peer, 0, i);
    good = all[i] == expected;
  }
  CHECK(good, "reduce of %d at %d", count, root);
}

static void check_symmetric(int count, int* mine, int* all) {
  const size_t n = (size_t)count;
  fill(mine, n, g_rank, 2);
  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < g_size; ++peer)
    CHECK(holds(all + (size_t)peer * n, n, peer, 2), "allgather of %d: block of %d", count, peer);

  MPI_Allreduce(mine, all, count, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  bool good = true;
  for (size_t i = 0; good && i < n; ++i) {
    int expected = 0;
    for (int peer = 0; peer < g_size; ++peer) expected ^= item(peer, 2, i);
    good = all[i] == expected;
  }
  CHECK(good, "allreduce of %d", count);
}

static void check_exchange(int count, int* all, int* received) {
  const size_t n = (size_t)count;
  for (int peer = 0; peer < g_size; ++peer) fill(all + (size_t)peer * n, n, g_rank, peer);
  MPI_Alltoall(all, count, MPI_INT, received, count, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < g_size; ++peer)
    CHECK(holds(received + (size_t)peer * n, n, peer, g_rank), "alltoall of %d: block of %d", count, peer);

  for (int peer = 0; peer < g_size; ++peer) fill(all + (size_t)peer * n, n, g_rank, peer);
  MPI_Reduce_scatter_block(all, received, count, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  bool good = true;
  for (size_t i = 0; good && i < n; ++i) {
    int expected = 0;
    for (int peer = 0; peer < g_size; ++peer) expected ^= item(peer, g_rank, i);
    good = received[i] == expected;
  }
  CHECK(good, "reduce_scatter_block of %d", count);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int largest_kib = argc > 1 ? atoi(argv[1]) : 1024;
  const int counts[] = {64 * 256, 256 * 256 + 3, largest_kib * 256};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    const size_t total = (size_t)counts[i] * (size_t)g_size;
    int* mine = allocate_ints((size_t)counts[i], 0);
    int* all = allocate_ints(total, 0);
    int* received = allocate_ints(total, 0);
    check_rooted(0, counts[i], mine, all);
    if (g_size > 1) check_rooted(g_size - 1, counts[i], mine, all);
    if (g_size > 2) check_rooted(g_size / 2, counts[i], mine, all);
    check_symmetric(counts[i], mine, all);
    check_exchange(counts[i], all, received);
    free(received);
    free(all);
    free(mine);
  }
  return check_finish("large");
}
