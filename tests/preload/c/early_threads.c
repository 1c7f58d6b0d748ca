// MPI_THREAD_MULTIPLE. While one thread's collective is under way, another one sends what a peer needs before it joins
// that collective; or it sends on what has been received, handed over by the thread that has called. Then all threads
// make collectives at the same time.

#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_threads = 4, k_rounds = 15, k_block = 32 * 4096, k_late_us = 500, k_patience = 500, k_tag = 100 };

typedef struct {
  int id;
  MPI_Comm comm;
  pthread_t thread;
} Worker;

static unsigned char *g_sent, *g_received;
static atomic_int g_stage;  // of the first exchange: 1: about to call, 2: the call has returned

static unsigned char* pages(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static unsigned char pattern(int thread, int round, int from, int to) {
  return (unsigned char)value_of(from * 64 + to, (size_t)round, (unsigned)thread);
}

static bool is_all(const unsigned char* data, unsigned char value) {
  for (size_t i = 0; i < k_block; ++i)
    if (data[i] != value) return false;
  return true;
}

static void exchange(int thread, int round, unsigned char* sent, unsigned char* received, MPI_Comm comm) {
  for (int to = 0; to < g_size; ++to)
    memset(sent + (size_t)to * k_block, pattern(thread, round, g_rank, to), k_block);
  MPI_Alltoall(sent, k_block, MPI_BYTE, received, k_block, MPI_BYTE, comm);
}

static void send_on(int thread, int round, int from, const unsigned char* received) {
  unsigned char* const copy = pages(k_block);
  MPI_Sendrecv(received + (size_t)from * k_block, k_block, MPI_BYTE, 0, thread, copy, k_block, MPI_BYTE, 0,
               thread, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(is_all(copy, pattern(thread, round, from, g_rank)), "thread %d sends on", thread);
  munmap(copy, k_block);
}

static void check_data(int thread, int round, const unsigned char* received) {
  for (int from = 0; from < g_size; ++from)
    CHECK(is_all(received + (size_t)from * k_block, pattern(thread, round, from, g_rank)),
          "thread %d, from %d", thread, from);
}

// ------------------------------------------------------------------------------------------ the first exchange

/// Rank 1 joins the exchange when it has this, whether or not the call of rank 0 has returned.
static void* send_what_is_needed(void* unused) {
  while (g_stage < 1) usleep(100);
  for (int i = 0; g_stage < 2 && i < k_patience; ++i) usleep(1000);
  MPI_Send(&g_rank, 1, MPI_INT, 1, k_tag, MPI_COMM_WORLD);
  return unused;
}

static void* send_on_what_was_received(void* unused) {
  while (g_stage < 2) usleep(100);
  send_on(0, -1, 1, g_received);
  return unused;
}

static void first_exchange(void) {
  pthread_t other;
  int token = -1;
  if (g_rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (g_rank != 1)
    pthread_create(&other, NULL, g_rank == 0 ? send_what_is_needed : send_on_what_was_received, NULL);
  g_stage = 1;
  exchange(0, -1, g_sent, g_received, MPI_COMM_WORLD);
  g_stage = 2;
  check_data(0, -1, g_received);
  if (g_rank != 1) pthread_join(other, NULL);
}

// ------------------------------------------------------------------------------------------ all threads

static void* work(void* argument) {
  const Worker* const worker = argument;
  const size_t bytes = (size_t)g_size * k_block;
  unsigned char *const sent = pages(bytes), *const received = pages(bytes);
  for (int round = 0; round < k_rounds; ++round) {
    if (g_rank == (round + worker->id) % g_size) usleep(k_late_us);
    exchange(worker->id, round, sent, received, worker->comm);
    send_on(worker->id, round, (round + 1) % g_size, received);
    check_data(worker->id, round, received);
  }
  munmap(sent, bytes);
  munmap(received, bytes);
  return NULL;
}

int main(int argc, char** argv) {
  Worker workers[k_threads];
  check_init_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  g_sent = pages((size_t)g_size * k_block);
  g_received = pages((size_t)g_size * k_block);
  exchange(0, -2, g_sent, g_received,
           MPI_COMM_WORLD);  // after which the ranks agree on how to do the next one
  check_data(0, -2, g_received);
  first_exchange();
  for (int id = 0; id < k_threads; ++id) {
    workers[id].id = id;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[id].comm);
  }
  for (int id = 0; id < k_threads; ++id) pthread_create(&workers[id].thread, NULL, work, &workers[id]);
  for (int id = 0; id < k_threads; ++id) pthread_join(workers[id].thread, NULL);
  for (int id = 0; id < k_threads; ++id) MPI_Comm_free(&workers[id].comm);
  return check_finish("early_threads");
}
