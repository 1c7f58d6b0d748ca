// Reduce, Allreduce, Reduce_scatter, Reduce_scatter_block, Scan and Exscan with MPI_SUM and MPI_MAX on
// integers: every root, many counts, uneven and empty shares, MPI_IN_PLACE, on several communicators.
// The expected result is computed from every rank's input by a loop. Unsigned sums wrap, so the order
// of an addition never matters here; user_operators.c checks the order.
//
// In-place reductions to other roots than 0 stay below 2 KB here, see reduce_in_place.c.
#include "check.h"

#include <stdlib.h>

enum { k_salt = 7, k_canary = 0x5a5a5a5a, k_safe_in_place_count = 500 };

static unsigned input(int rank, size_t i) {
  return (unsigned)value_of(rank, i, k_salt);
}

// The result for the ranks in [0, ranks).
static unsigned expected(MPI_Op op, int ranks, size_t i) {
  unsigned result = input(0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const unsigned next = input(rank, i);
    result = op == MPI_SUM ? result + next : next > result ? next : result;
  }
  return result;
}

static unsigned* make_input(int rank, size_t count) {
  unsigned* data = allocate((count + 1) * sizeof *data);
  for (size_t i = 0; i < count; ++i) data[i] = input(rank, i);
  data[count] = k_canary;
  return data;
}

static bool holds(const unsigned* data, size_t count, MPI_Op op, int ranks, size_t first) {
  for (size_t i = 0; i < count; ++i)
    if (data[i] != expected(op, ranks, first + i)) return false;
  return true;
}

static bool unchanged(const unsigned* data, size_t count, int rank) {
  for (size_t i = 0; i < count; ++i)
    if (data[i] != input(rank, i)) return false;
  return data[count] == k_canary;
}

static void check_reduce(MPI_Comm comm, int rank, int size, int root, int count, MPI_Op op, bool in_place) {
  unsigned* mine = make_input(rank, (size_t)count);
  unsigned* result = make_input(rank, (size_t)count);
  if (rank == root)
    MPI_Reduce(in_place ? MPI_IN_PLACE : mine, result, count, MPI_UNSIGNED, op, root, comm);
  else
    MPI_Reduce(mine, NULL, count, MPI_UNSIGNED, op, root, comm);
  CHECK(unchanged(mine, (size_t)count, rank), "reduce of %d at %d changed its input", count, root);
  if (rank == root)
    CHECK(holds(result, (size_t)count, op, size, 0) && result[count] == k_canary, "reduce of %d at %d%s",
          count, root, in_place ? ", in place" : "");
  free(result);
  free(mine);
}

static void check_allreduce(MPI_Comm comm, int rank, int size, int count, MPI_Op op, bool in_place) {
  unsigned* mine = make_input(rank, (size_t)count);
  unsigned* result = make_input(rank, (size_t)count);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, result, count, MPI_UNSIGNED, op, comm);
  CHECK(unchanged(mine, (size_t)count, rank), "allreduce of %d changed its input", count);
  CHECK(holds(result, (size_t)count, op, size, 0) && result[count] == k_canary, "allreduce of %d%s", count,
        in_place ? ", in place" : "");
  free(result);
  free(mine);
}

static void check_scans(MPI_Comm comm, int rank, int count, MPI_Op op, bool in_place) {
  unsigned* mine = make_input(rank, (size_t)count);
  unsigned* result = make_input(rank, (size_t)count);
  MPI_Scan(in_place ? MPI_IN_PLACE : mine, result, count, MPI_UNSIGNED, op, comm);
  CHECK(holds(result, (size_t)count, op, rank + 1, 0) && result[count] == k_canary, "scan of %d", count);
  free(result);
  result = make_input(rank, (size_t)count);
  MPI_Exscan(in_place ? MPI_IN_PLACE : mine, result, count, MPI_UNSIGNED, op, comm);
  // The result of rank 0 is undefined.
  if (rank > 0) CHECK(holds(result, (size_t)count, op, rank, 0), "exscan of %d", count);
  CHECK(result[count] == k_canary && unchanged(mine, (size_t)count, rank), "exscan of %d wrote elsewhere",
        count);
  free(result);
  free(mine);
}

static void check_block(MPI_Comm comm, int rank, int size, int count, MPI_Op op, bool in_place) {
  const size_t total = (size_t)count * (size_t)size;
  unsigned* mine = make_input(rank, total);
  unsigned* result = make_input(rank, in_place ? total : (size_t)count);
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine, result, count, MPI_UNSIGNED, op, comm);
  CHECK(holds(result, (size_t)count, op, size, (size_t)rank * (size_t)count), "reduce_scatter_block of %d%s",
        count, in_place ? ", in place" : "");
  CHECK(result[in_place ? total : (size_t)count] == k_canary, "reduce_scatter_block of %d wrote past its end",
        count);
  CHECK(unchanged(mine, total, rank), "reduce_scatter_block of %d changed its input", count);
  free(result);
  free(mine);
}

static void check_reduce_scatter(MPI_Comm comm, int rank, int size, int count, MPI_Op op, bool in_place) {
  int* counts = allocate_ints((size_t)size, 0);
  size_t total = 0;
  size_t first = 0;
  for (int peer = 0; peer < size; ++peer) {
    counts[peer] = peer % 3 == 1 ? 0 : count + 3 * peer;
    if (peer < rank) first += (size_t)counts[peer];
    total += (size_t)counts[peer];
  }
  const size_t share = (size_t)counts[rank];
  unsigned* mine = make_input(rank, total);
  unsigned* result = make_input(rank, in_place ? total : share);
  MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : mine, result, counts, MPI_UNSIGNED, op, comm);
  CHECK(holds(result, share, op, size, first), "reduce_scatter of %d%s", count, in_place ? ", in place" : "");
  CHECK(result[in_place ? total : share] == k_canary, "reduce_scatter of %d wrote past its end", count);
  CHECK(unchanged(mine, total, rank), "reduce_scatter of %d changed its input", count);
  free(result);
  free(mine);
  free(counts);
}

static void check_all(MPI_Comm comm, int rank, int size) {
  const int counts[] = {0, 1, size - 1, size, size + 1, 17, 499, 4097};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    const int count = counts[i];
    for (int root = 0; root < size; ++root) {
      const bool in_place = (root + (int)i) % 2 == 1 && (root == 0 || count < k_safe_in_place_count);
      check_reduce(comm, rank, size, root, count, root % 2 ? MPI_SUM : MPI_MAX, in_place);
    }
    for (int in_place = 0; in_place < 2; ++in_place) {
      const MPI_Op op = (i + (size_t)in_place) % 2 ? MPI_SUM : MPI_MAX;
      check_allreduce(comm, rank, size, count, op, in_place);
      check_scans(comm, rank, count, op, in_place);
      check_block(comm, rank, size, count, op, in_place);
      check_reduce_scatter(comm, rank, size, count, op, in_place);
    }
  }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(check_all);
  return check_finish("reductions");
}
