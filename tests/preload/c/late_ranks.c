// Ranks that are late again and again, in turn and by chance, until call sites change to what is made for that; then
// they come together again. Small and large messages, changing roots, and a communicator whose ranks are not those of
// the world.
//   late_ranks [CALLS [even]]    so many calls in each part; with "even" they always come together
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { k_default_calls = 120, k_small = 2, k_large = 12000, k_most_us = 6000 };

static void be_late(int rank, int call) {
  usleep((useconds_t)(value_of(rank, (size_t)call, 5) % k_most_us));
}

static int expected_sum(int size, int place, int call) {
  int sum = 0;
  for (int r = 0; r < size; ++r) sum += value_of(r, (size_t)place, (unsigned)call) % 1000;
  return sum;
}

static void fill(int* numbers, int count, int rank, int call) {
  for (int i = 0; i < count; ++i) numbers[i] = value_of(rank, (size_t)i, (unsigned)call) % 1000;
}

// Number of wrong results in one call of each kind.
static int wrong_results(MPI_Comm comm, int rank, int size, int call, int count, int is_late) {
  static int in[k_large], out[k_large];
  int* const blocks = allocate_ints((size_t)(k_small * size), 0);
  const int root = call % 3 == 0 ? call % size : 0, last = count - 1;
  int wrong = 0;
  if (is_late) be_late(rank, call);
  fill(out, count, rank == root ? root : -1 - rank, call);
  MPI_Bcast(out, count, MPI_INT, root, comm);
  wrong += out[last] != value_of(root, (size_t)last, (unsigned)call) % 1000;
  if (call % 4 != 0) {
    free(blocks);
    return wrong;
  }
  fill(in, count, rank, call);
  if (is_late) be_late(rank, call + 1);
  MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
  if (rank == root) wrong += out[last] != expected_sum(size, last, call);
  MPI_Allgather(in, k_small, MPI_INT, blocks, k_small, MPI_INT, comm);
  wrong += blocks[root * k_small] != value_of(root, 0, (unsigned)call) % 1000;
  if (is_late) be_late(rank, call + 2);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
  wrong += out[last] != expected_sum(size, last, call);
  MPI_Scatter(blocks, k_small, MPI_INT, out, k_small, MPI_INT, root, comm);
  wrong += out[1] != value_of(rank, 1, (unsigned)call) % 1000;
  MPI_Barrier(comm);
  free(blocks);
  return wrong;
}

static void calls(MPI_Comm comm, int count, int is_late) {
  int rank, size, wrong = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int call = 0; call < count; ++call)
    wrong += wrong_results(comm, rank, size, call, call % 2 == 0 ? k_small : k_large, is_late);
  CHECK(wrong == 0, "%d results are wrong", wrong);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : k_default_calls,
            only_even = argc > 2 && strcmp(argv[2], "even") == 0;
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank == 1 ? 1 : 0, g_size - g_rank, &reversed);
  if (!only_even) calls(MPI_COMM_WORLD, count, 1);
  if (!only_even) calls(reversed, count, 1);
  calls(MPI_COMM_WORLD, count, 0);
  calls(reversed, count, 0);
  MPI_Comm_free(&reversed);
  return check_finish("late_ranks");
}
