// Programs that communicate for the last time when everything else is over. The argument says from where:
//   atexit       a handler of exit(), registered before MPI_Init
//   destructor   a destructor of the program
//   library      a destructor of a library of the program, which may come after that of any other
//   thread       a handler of exit(), which another thread has called
//   quick_exit   a handler of quick_exit()
//   callback     MPI_Finalize: the delete callbacks of attributes of MPI_COMM_SELF (MPI 4.0, section 11.2.4)
#include "check.h"
#include "last.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { k_count = 50000, k_tag = 7 };

static const char* g_mode;
static MPI_Request g_pending = MPI_REQUEST_NULL;
static int* g_late;  // of g_pending

static bool is(const char* mode) {
  return g_mode != NULL && strcmp(g_mode, mode) == 0;
}

static bool are_all(const int* data, int count, int step, int value) {
  for (int i = 0; i < count; i += step)
    if (data[i] != value) return false;
  return true;
}

static void broadcast_strided(void) {
  MPI_Datatype strided;
  MPI_Type_vector(k_count / 2, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  for (int root = 0; root < g_size; ++root) {
    int* data = allocate_ints(k_count, g_rank == root ? 5 + root : -1);
    MPI_Bcast(data, 1, strided, root, MPI_COMM_WORLD);
    CHECK(are_all(data, k_count, 2, 5 + root), "bcast from %d", root);
    free(data);
  }
  MPI_Type_free(&strided);
}

static void exchange(void) {
  const int share = k_count / g_size;
  int* counts = allocate_ints((size_t)g_size, share);
  int* places = allocate_ints((size_t)g_size, 0);
  for (int i = 0; i < g_size; ++i) places[i] = i * share;
  int* out = allocate_ints(k_count, g_rank);
  int* in = allocate_ints(k_count, -1);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < g_size; ++i) CHECK(are_all(in + places[i], share, 1, i), "alltoallv from %d", i);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(are_all(in, share, 1, g_size * (g_size - 1) / 2), "reduce_scatter");
  free(counts);
  free(places);
  free(out);
  free(in);
}

static void sum_up(MPI_Comm comm) {
  int* sums = allocate_ints(k_count, g_rank);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(are_all(sums, k_count, 1, g_size * (g_size - 1) / 2), "iallreduce");
  MPI_Barrier(comm);
  free(sums);
}

static void call_collectives(void) {
  broadcast_strided();
  exchange();
  sum_up(MPI_COMM_WORLD);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  sum_up(copy);
  MPI_Comm_free(&copy);
}

static void come_to_the_end(void) {
  MPI_Wait(&g_pending, MPI_STATUS_IGNORE);
  CHECK(are_all(g_late, k_count, 1, g_size), "what was under way");
  call_collectives();
  if (check_finish("last_calls") != 0) abort();
  fflush(stdout);
}

__attribute__((destructor)) static void destroy(void) {
  if (is("destructor")) come_to_the_end();
}

/// Rank 0 delays the others, which have not begun to finalize: to wait for them first would be a deadlock.
static int tell_others(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value, (void)state;
  for (int i = 1; i < g_size; ++i) MPI_Send(&g_size, 1, MPI_INT, i, k_tag, MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

static int call_in_finalize(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value, (void)state;
  call_collectives();
  if (check_report("last_calls") != 0) abort();
  return MPI_SUCCESS;
}

static void finalize(void) {
  int key = MPI_KEYVAL_INVALID, told = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call_in_finalize, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  if (g_rank == 0) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell_others, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  } else {
    MPI_Recv(&told, 1, MPI_INT, 0, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(told == g_size, "told");
  }
  MPI_Finalize();
}

static void* exit_elsewhere(void* nothing) {
  (void)nothing;
  exit(0);
}

int main(int argc, char** argv) {
  g_mode = argc > 1 ? argv[1] : "";
  if (is("atexit") || is("thread")) atexit(come_to_the_end);
  if (is("quick_exit")) at_quick_exit(come_to_the_end);
  if (is("library")) call_at_last(come_to_the_end);
  check_init_threads(&argc, &argv, is("thread") ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE);
  for (int i = 0; i < 3; ++i) call_collectives();
  if (is("callback")) {
    finalize();
    return check_status();
  }
  g_late = allocate_ints(k_count, 1);
  MPI_Iallreduce(MPI_IN_PLACE, g_late, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &g_pending);
  if (g_rank == g_size - 1) usleep(200000);
  if (is("quick_exit")) quick_exit(0);
  if (is("thread")) {
    pthread_t other;
    pthread_create(&other, NULL, exit_elsewhere, NULL);
    pthread_join(other, NULL);
  }
  return 0;
}
