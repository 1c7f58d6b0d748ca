// Exchanges in which one rank is sent more than it expects. Where the call has returned before that is known, the error
// handler of its communicator hears of it later: in the next call of MPI that waits, MPI_Finalize at the latest.

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_page = 4096, k_sent = 4 * k_page, k_expected = 3 * k_page, k_calls = 5, k_late_us = 5000 };

static int g_errors;
static MPI_Comm g_comm;  // of the last error

static void note_error(MPI_Comm* comm, int* code, ...) {
  ++g_errors;
  g_comm = *comm;
  (void)code;
}

static unsigned char* pages(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static unsigned char *g_to_send, *g_received;

/// The last rank but one is sent too much by the last.
static void exchange(MPI_Comm comm) {
  int *counts = allocate_ints(4 * (size_t)g_size, k_sent), *displacements = counts + g_size;
  int *expected = displacements + g_size, *places = expected + g_size;
  for (int r = 0; r < g_size; ++r) displacements[r] = places[r] = r * k_sent;
  if (g_rank == g_size - 2) expected[g_size - 1] = k_expected;
  if (g_rank == g_size - 1) usleep(k_late_us);
  MPI_Alltoallv(g_to_send, counts, displacements, MPI_BYTE, g_received, expected, places, MPI_BYTE, comm);
  free(counts);
}

static bool hears(void) {
  return g_rank == g_size - 2;
}

static void check_one_error(MPI_Comm comm) {
  CHECK(g_errors == (hears() ? 1 : 0), "%d errors", g_errors);
  CHECK(!hears() || g_comm == comm, "an error of another communicator");
  g_errors = 0;
}

/// The communicator is fit for use after it.
static void check_sum(MPI_Comm comm) {
  int sum = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == g_size * (g_size - 1) / 2, "the sum is %d", sum);
}

int main(int argc, char** argv) {
  int got = 0;
  check_init(&argc, &argv);
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  g_to_send = pages((size_t)g_size * k_sent);
  g_received = pages((size_t)g_size * k_sent);
  for (int call = 0; call < k_calls; ++call) {
    exchange(comm);
    MPI_Sendrecv(&g_rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    check_one_error(comm);
    check_sum(comm);
  }
  const int status = check_report("early_errors");
  exchange(comm);
  MPI_Finalize();
  return g_errors == (hears() ? 1 : 0) ? status : 3;
}
