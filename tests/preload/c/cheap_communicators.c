// Cost of communicators that the program makes and does not use: bytes of heap, compared with duplicates that are
// hidden from Tutti, and calls in which ranks agree.
#include "check.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

enum { k_count = 400, k_most_bytes = 800, k_most_agreements = 24 };

static int g_agreements;

/// Stands in front of the MPI's.
int PMPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  static Allreduce* next;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
  ++g_agreements;
  return next(from, to, count, type, op, comm);
}

static size_t heap_bytes(void) {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

static void make_unheard(MPI_Comm* made) {
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void make_duplicate(MPI_Comm* made) {
  MPI_Comm_dup(MPI_COMM_WORLD, made);
}

static void make_half(MPI_Comm* made) {
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, g_rank, made);
}

/// Returns the bytes that stay while the communicators live.
static size_t cost_of(void (*make)(MPI_Comm* made)) {
  static MPI_Comm all[k_count];
  make(&all[0]);  // what the first one sets up stays
  MPI_Comm_free(&all[0]);
  const size_t before = heap_bytes();
  for (int i = 0; i < k_count; ++i) make(&all[i]);
  const size_t after = heap_bytes();
  for (int i = 0; i < k_count; ++i) MPI_Comm_free(&all[i]);
  return after > before ? after - before : 0;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const size_t unheard = cost_of(make_unheard);
  g_agreements = 0;
  const size_t heard = cost_of(make_duplicate);
  CHECK(heard <= unheard + (size_t)k_count * k_most_bytes, "%d duplicates take %zu bytes, natively %zu",
        k_count, heard, unheard);
  CHECK(g_agreements <= k_most_agreements, "%d agreements for %d duplicates", g_agreements, k_count);
  g_agreements = 0;
  cost_of(make_half);
  CHECK(g_agreements <= k_most_agreements, "%d agreements for %d splits", g_agreements, k_count);
  return check_finish("cheap_communicators");
}
