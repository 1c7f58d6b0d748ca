#include "check.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_described_failures = 5, k_report_tag = 32001 };

int g_rank;
int g_size;

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static long long g_checks;
static long long g_failures;

static void learn_world(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
}

void check_init(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  learn_world();
}

void check_init_threads(int* argc, char*** argv, int threads) {
  int provided = 0;
  MPI_Init_thread(argc, argv, threads, &provided);
  learn_world();
  CHECK(provided >= threads, "thread level %d, not %d", provided, threads);
}

bool check_record(bool holds, const char* file, int line, const char* format, ...) {
  pthread_mutex_lock(&g_mutex);
  ++g_checks;
  if (!holds && ++g_failures <= k_described_failures) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char* name = strrchr(file, '/');
    printf("%s:%d: rank %d: %s\n", name ? name + 1 : file, line, g_rank, text);
    fflush(stdout);
  }
  pthread_mutex_unlock(&g_mutex);
  return holds;
}

int check_status(void) {
  return g_failures == 0 ? 0 : 1;
}

int check_report(const char* name) {
  long long totals[2] = {g_checks, g_failures};
  if (g_rank != 0) {
    MPI_Send(totals, 2, MPI_LONG_LONG, 0, k_report_tag, MPI_COMM_WORLD);
    return check_status();
  }
  for (int peer = 1; peer < g_size; ++peer) {
    long long theirs[2];
    MPI_Recv(theirs, 2, MPI_LONG_LONG, peer, k_report_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    totals[0] += theirs[0];
    totals[1] += theirs[1];
  }
  printf("%s: %lld checks, %lld failed\n", name, totals[0], totals[1]);
  fflush(stdout);
  return totals[1] == 0 ? 0 : 1;
}

int check_finish(const char* name) {
  const int status = check_report(name);
  MPI_Finalize();
  return status;
}

int32_t value_of(int rank, size_t index, unsigned salt) {
  uint32_t x = (uint32_t)rank * 0x9e3779b1u ^ (uint32_t)index * 0x85ebca77u ^ salt * 0xc2b2ae3du;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 12;
  x *= 0x297a2d39u;
  x ^= x >> 15;
  return (int32_t)(x & 0x7fffffffu);
}

void* allocate(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) {
    fprintf(stderr, "rank %d: no memory for %zu bytes\n", g_rank, bytes);
    MPI_Abort(MPI_COMM_WORLD, 99);
  }
  return memory;
}

int* allocate_ints(size_t count, int fill) {
  int* memory = allocate(count * sizeof *memory);
  for (size_t i = 0; i < count; ++i) memory[i] = fill;
  return memory;
}

static void visit_split(void (*visit)(MPI_Comm, int, int), int color, int key) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  int rank;
  int size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  visit(comm, rank, size);
  MPI_Comm_free(&comm);
}

void for_each_communicator(void (*visit)(MPI_Comm comm, int rank, int size)) {
  visit(MPI_COMM_WORLD, g_rank, g_size);
  visit_split(visit, 0, -g_rank);
  visit_split(visit, g_rank % 2, g_rank);
}
