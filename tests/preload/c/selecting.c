// Call sites that are used often enough for run-time selection to try candidates in them, while ranks measure
// different things: they are late by turns and at random, and one lets a whole window of nonblocking calls go
// before the next one may begin its own.
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { k_count = 1500, k_calls = 150, k_window = 50, k_rounds = 6 };

static void be_late(int rank, int call) {
  const int32_t chance = value_of(rank, (size_t)call, 77);
  if (chance % 16 == 0) usleep((useconds_t)(chance % 2000));
}

static void fill(int* numbers, int rank, int call) {
  for (int i = 0; i < k_count; ++i) numbers[i] = value_of(rank, (size_t)i, (unsigned)call) % 1000;
}

static int sum_of(int size, int place, int call) {
  int sum = 0;
  for (int r = 0; r < size; ++r) sum += value_of(r, (size_t)place, (unsigned)call) % 1000;
  return sum;
}

static int wrong_sums(const int* sums, int size, int call) {
  int wrong = 0;
  for (int i = 0; i < k_count; i += 53) wrong += sums[i] != sum_of(size, i, call);
  return wrong;
}

static void blocking(MPI_Comm comm, int rank, int size) {
  int *in = allocate_ints(k_count, 0), *out = allocate_ints(k_count, 0);
  int *blocks = allocate_ints((size_t)(k_count * size), 0), *all = allocate_ints((size_t)(k_count * size), 0);
  int wrong = 0;
  for (int call = 0; call < k_calls; ++call) {
    be_late(rank, call);
    fill(in, rank, call);
    MPI_Allreduce(in, out, k_count, MPI_INT, MPI_SUM, comm);
    wrong += wrong_sums(out, size, call);
    const int root = call % size;
    if (rank == root) fill(out, root, call + 1);
    MPI_Bcast(out, k_count, MPI_INT, root, comm);
    wrong += out[call] != value_of(root, (size_t)call, (unsigned)call + 1) % 1000;
    MPI_Allgather(in, k_count, MPI_INT, all, k_count, MPI_INT, comm);
    wrong += all[root * k_count + call] != value_of(root, (size_t)call, (unsigned)call) % 1000;
    MPI_Alltoall(all, k_count, MPI_INT, blocks, k_count, MPI_INT, comm);
    wrong += blocks[root * k_count + call] != value_of(rank, (size_t)call, (unsigned)call) % 1000;
  }
  CHECK(wrong == 0, "%d results of blocking calls are wrong", wrong);
  free(in), free(out), free(blocks), free(all);
}

// One after the other, in computations of different lengths.
static void nonblocking(MPI_Comm comm, int rank, int size) {
  int *in = allocate_ints(k_count, 0), *out = allocate_ints(k_count, 0);
  int wrong = 0;
  for (int call = 0; call < k_calls; ++call) {
    fill(in, rank, call);
    MPI_Request request;
    MPI_Iallreduce(in, out, k_count, MPI_INT, MPI_SUM, comm, &request);
    be_late(rank, call);
    if (call % 3 == 0) {
      int is_done = 0;
      while (!is_done) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    wrong += wrong_sums(out, size, call);
  }
  CHECK(wrong == 0, "%d sums of nonblocking calls are wrong", wrong);
  free(in), free(out);
}

// Nonblocking calls return although no other rank has made them, however many there are, and what follows
// them on the communicator keeps its place. Types may go as soon as a call has returned.
static void windows(MPI_Comm comm, int rank, int size) {
  int* in[k_window];
  int* out[k_window];
  MPI_Request requests[k_window + 1];
  for (int i = 0; i < k_window; ++i) in[i] = allocate_ints(k_count, 0), out[i] = allocate_ints(k_count, 0);
  int wrong = 0, token = 0;
  for (int round = 0; round < k_rounds; ++round) {
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 5, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < k_window; ++i) {
      fill(in[i], rank, i);
      MPI_Iallreduce(in[i], out[i], k_count, MPI_INT, MPI_SUM, comm, &requests[i]);
    }
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int both[2] = {round + (rank == 0), 7};
    MPI_Ibcast(both, 1, pair, 0, comm, &requests[k_window]);
    MPI_Type_free(&pair);
    if (rank + 1 < size) MPI_Send(&token, 1, MPI_INT, rank + 1, 5, comm);
    int last = rank;
    MPI_Bcast(&last, 1, MPI_INT, size - 1, comm);
    MPI_Waitall(k_window + 1, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < k_window; ++i) wrong += wrong_sums(out[i], size, i);
    wrong += both[0] != round + 1 || both[1] != 7 || last != size - 1;
  }
  CHECK(wrong == 0, "%d results of windows are wrong", wrong);
  for (int i = 0; i < k_window; ++i) free(in[i]), free(out[i]);
}

static void visit(MPI_Comm comm, int rank, int size) {
  blocking(comm, rank, size);
  nonblocking(comm, rank, size);
  windows(comm, rank, size);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(visit);
  return check_finish("selecting");
}
