// Two worlds: the first starts another of three ranks, with collectives in both, and in one communicator of all.
#include "check.h"

#include <stdlib.h>

enum { k_children = 3, k_count = 20000 };

static void check_sums(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* data = allocate_ints(k_count, 0);
  int* sums = allocate_ints(k_count, 0);
  for (int i = 0; i < k_count; ++i) data[i] = rank + i;
  MPI_Allreduce(data, sums, k_count, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < k_count; ++i)
    CHECK(sums[i] == size * (size - 1) / 2 + size * i, "of %d ranks, element %d: %d", size, i, sums[i]);
  free(sums);
  free(data);
}

int main(int argc, char** argv) {
  MPI_Comm other, all;
  check_init(&argc, &argv);
  check_sums(MPI_COMM_WORLD);
  MPI_Comm_get_parent(&other);
  const bool is_child = other != MPI_COMM_NULL;
  if (!is_child)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, k_children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
  check_sums(MPI_COMM_WORLD);
  MPI_Intercomm_merge(other, is_child, &all);
  check_sums(all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&other);
  return check_finish(is_child ? "spawned: the children" : "spawned: the parents");
}
