// The info key tutti_overlap, given in every way that MPI has: calls on a communicator that has it do not return early.
// Prints how many calls of this rank are on such a communicator; early_info.py counts what Tutti says of them.

#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { k_block = 64 * 1024 };

static unsigned char *g_sent, *g_received;
static int g_inside;

/// `is_inside`: the program expects the call to wait for its data.
static void exchange(MPI_Comm comm, bool is_inside) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  for (int to = 0; to < size; ++to) memset(g_sent + (size_t)to * k_block, rank * 16 + to, k_block);
  MPI_Alltoall(g_sent, k_block, MPI_BYTE, g_received, k_block, MPI_BYTE, comm);
  for (int from = 0; from < size; ++from)
    CHECK(g_received[(size_t)from * k_block + 777] == (unsigned char)(from * 16 + rank), "block %d", from);
  g_inside += is_inside;
}

static MPI_Info info_with(const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tutti_overlap", value);
  return info;
}

static void check_told(MPI_Comm comm, bool is_off) {
  MPI_Info used;
  char value[8] = "";
  int is_there = 0;
  MPI_Comm_get_info(comm, &used);
  MPI_Info_get(used, "tutti_overlap", sizeof value - 1, value, &is_there);
  CHECK(!is_off || (is_there != 0 && strcmp(value, "off") == 0), "MPI_Comm_get_info says '%s'", value);
  MPI_Info_free(&used);
}

static void given_later(MPI_Info off) {
  MPI_Comm comm, copy;
  MPI_Info on = info_with("on"), odd = info_with("perhaps"), other;
  MPI_Info_create(&other);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  exchange(comm, false);
  MPI_Comm_set_info(comm, off);
  check_told(comm, true);
  exchange(comm, true);
  MPI_Comm_set_info(comm, other);  // which does not have the key
  MPI_Comm_set_info(comm, odd);
  exchange(comm, true);
  MPI_Comm_dup(comm, &copy);
  exchange(copy, true);
  MPI_Comm_set_info(comm, on);
  check_told(comm, false);
  exchange(comm, false);
  exchange(copy, true);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Info_free(&on);
  MPI_Info_free(&odd);
  MPI_Info_free(&other);
}

static void given_at_creation(MPI_Info off) {
  MPI_Comm comm, plain;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, off, &comm);
  exchange(comm, true);
  MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &plain);
  exchange(plain, false);
  MPI_Comm_free(&plain);
  MPI_Comm_split(comm, 0, g_rank, &plain);
  exchange(plain, false);
  MPI_Comm_free(&plain);
  MPI_Comm_free(&comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, g_rank, off, &comm);
  exchange(comm, true);
  MPI_Comm_free(&comm);
  const int next = (g_rank + 1) % g_size, before = (g_rank + g_size - 1) % g_size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, off, 0,
                                 &comm);
  exchange(comm, true);
  MPI_Comm_free(&comm);
}

/// It is each rank's own business: where only some ranks say so, nothing goes wrong.
static void given_by_some(void) {
  MPI_Comm comm;
  MPI_Info info = info_with(g_rank % 2 == 0 ? "off" : "on");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_info(comm, info);
  for (int i = 0; i < 5; ++i) exchange(comm, g_rank % 2 == 0);
  MPI_Comm_free(&comm);
  MPI_Info_free(&info);
}

static unsigned char* pages(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_sent = pages((size_t)g_size * k_block);
  g_received = pages((size_t)g_size * k_block);
  MPI_Info off = info_with("off");
  given_later(off);
  given_at_creation(off);
  given_by_some();
  MPI_Info_free(&off);
  if (g_rank == 0) printf("%d calls wait\n", g_inside);
  return check_finish("early_info");
}
