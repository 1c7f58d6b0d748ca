// Overlapping communicators used by several threads at once under MPI_THREAD_MULTIPLE. Every thread has
// communicators of its own with the same members in different orders; nothing orders the threads.
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

enum { k_threads = 4, k_comms_per_thread = 3, k_rounds = 40, k_count = 700 };

typedef struct {
  int id;
  MPI_Comm comms[k_comms_per_thread];
} Worker;

static void use(const Worker* worker, int turn) {
  const MPI_Comm comm = worker->comms[turn % k_comms_per_thread];
  const unsigned salt = (unsigned)(worker->id * 1000 + turn);
  int rank;
  int size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int root = turn % size;
  int data[k_count];
  for (size_t i = 0; i < k_count; ++i) data[i] = rank == root ? value_of(root, i, salt) : -1;
  MPI_Bcast(data, k_count, MPI_INT, root, comm);
  bool good = true;
  for (size_t i = 0; i < k_count; ++i) good = good && data[i] == value_of(root, i, salt);
  CHECK(good, "thread %d turn %d: bcast", worker->id, turn);

  const int mine = worker->id * 100 + rank;
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * worker->id * 100 + size * (size - 1) / 2, "thread %d turn %d: sum %d", worker->id, turn,
        sum);

  int* all = allocate_ints((size_t)size, -1);
  const int tag = worker->id * 1000000 + turn * 100 + rank;
  MPI_Allgather(&tag, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int peer = 0; peer < size; ++peer)
    CHECK(all[peer] == tag - rank + peer, "thread %d turn %d: allgather", worker->id, turn);
  free(all);
  MPI_Barrier(comm);
}

static void* work(void* argument) {
  const Worker* worker = argument;
  for (int turn = 0; turn < k_rounds; ++turn) use(worker, turn);
  return NULL;
}

// Making communicators from a thread while others communicate.
static void* make_and_free(void* argument) {
  const Worker* worker = argument;
  for (int turn = 0; turn < k_rounds / 4; ++turn) {
    MPI_Comm comm;
    MPI_Comm_dup(worker->comms[0], &comm);
    const Worker temporary = {worker->id, {comm, comm, comm}};
    use(&temporary, turn);
    MPI_Comm_free(&comm);
  }
  return NULL;
}

int main(int argc, char** argv) {
  check_init_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  Worker workers[k_threads];
  pthread_t threads[k_threads];
  for (int t = 0; t < k_threads; ++t) {
    workers[t].id = t;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, t % 2 ? -g_rank : (g_rank + t) % g_size, &workers[t].comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, (g_rank + t) % 2, g_rank, &workers[t].comms[2]);
  }
  for (int t = 0; t < k_threads; ++t)
    pthread_create(&threads[t], NULL, t == k_threads - 1 ? make_and_free : work, &workers[t]);
  for (int t = 0; t < k_threads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < k_threads; ++t)
    for (int i = 0; i < k_comms_per_thread; ++i) MPI_Comm_free(&workers[t].comms[i]);
  return check_finish("threads");
}
