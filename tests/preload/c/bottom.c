// MPI_BOTTOM with absolute datatypes as send and receive buffer of every collective that may use it,
// reductions with a user-defined operator included. Of those with displacements the displacements may be the addresses
// (Open MPI; MPICH refuses that).
#include "check.h"

#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>

static int g_out[4];
static double g_gap;  // between the two, so that one datatype spans unrelated variables
static int g_in[4];

static MPI_Datatype absolute(int* a, int* b) {
  MPI_Datatype type;
  MPI_Aint at[2];
  int lengths[2] = {1, 1};
  MPI_Get_address(a, &at[0]);
  MPI_Get_address(b, &at[1]);
  MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void check_bcast(MPI_Datatype type) {
  for (int root = 0; root < g_size; ++root) {
    g_out[3] = g_rank == root ? value_of(root, 0, 1) : -1;
    g_out[1] = g_rank == root ? value_of(root, 1, 1) : -1;
    MPI_Bcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD);
    CHECK(g_out[3] == value_of(root, 0, 1) && g_out[1] == value_of(root, 1, 1), "bcast from %d", root);
  }
}

static void check_gather_scatter(MPI_Datatype out, MPI_Datatype in) {
  int all[128];
  for (int root = 0; root < g_size; ++root) {
    g_out[3] = value_of(g_rank, 0, 2);
    g_out[1] = value_of(g_rank, 1, 2);
    MPI_Gather(MPI_BOTTOM, 1, out, all, 2, MPI_INT, root, MPI_COMM_WORLD);
    for (int peer = 0; g_rank == root && peer < g_size; ++peer)
      CHECK(all[2 * peer] == value_of(peer, 0, 2) && all[2 * peer + 1] == value_of(peer, 1, 2),
            "gather at %d", root);
    for (int i = 0; g_rank == root && i < 2 * g_size; ++i) all[i] = value_of(root, (size_t)i, 3);
    MPI_Scatter(all, 2, MPI_INT, MPI_BOTTOM, 1, in, root, MPI_COMM_WORLD);
    CHECK(g_in[0] == value_of(root, 2 * (size_t)g_rank, 3) &&
              g_in[2] == value_of(root, 2 * (size_t)g_rank + 1, 3),
          "scatter from %d", root);
  }
}

static void check_allgather(MPI_Datatype out) {
  int all[128];
  g_out[3] = value_of(g_rank, 0, 4);
  g_out[1] = value_of(g_rank, 1, 4);
  MPI_Allgather(MPI_BOTTOM, 1, out, all, 2, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < g_size; ++peer)
    CHECK(all[2 * peer] == value_of(peer, 0, 4) && all[2 * peer + 1] == value_of(peer, 1, 4), "allgather");
}

// Adds the two integers that the absolute type of `g_out` names. The invocation buffers stand in for
// MPI_BOTTOM, so the integers lie at their addresses relative to these.
static void add_pairs(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const MPI_Aint offsets[2] = {(MPI_Aint)(intptr_t)&g_out[3], (MPI_Aint)(intptr_t)&g_out[1]};
  if (*length != 1) CHECK(false, "length %d", *length);
  for (int i = 0; i < 2; ++i) {
    const int* source = (const int*)((intptr_t)in + offsets[i]);
    int* target = (int*)((intptr_t)inout + offsets[i]);
    *target += *source;
  }
}

static void check_allreduce(MPI_Datatype out) {
  MPI_Op op;
  MPI_Op_create(add_pairs, 1, &op);
  g_out[3] = g_rank + 1;
  g_out[1] = 10 * g_rank;
  MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, out, op, MPI_COMM_WORLD);
  CHECK(g_out[3] == g_size * (g_size + 1) / 2 && g_out[1] == 5 * g_size * (g_size - 1),
        "allreduce gave %d and %d", g_out[3], g_out[1]);
  MPI_Op_free(&op);
}

/// Displacements in bytes, which an int holds for memory that begins low.
static void check_addresses(void) {
#ifdef OPEN_MPI
  char* const out = mmap(NULL, 128, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  char* const in = out + 64;
  CHECK(out != MAP_FAILED && (uintptr_t)in < INT_MAX, "low memory at %p", (void*)out);
  int counts[64], from[64], to[64];
  for (int i = 0; i < g_size; ++i) {
    counts[i] = 1;
    from[i] = (int)(uintptr_t)out + i;
    to[i] = (int)(uintptr_t)in + i;
    out[i] = (char)(10 * g_rank + i);
  }
  MPI_Alltoallv(MPI_BOTTOM, counts, from, MPI_CHAR, MPI_BOTTOM, counts, to, MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < g_size; ++i) CHECK(in[i] == (char)(10 * i + g_rank), "block of %d: %d", i, in[i]);
  munmap(out, 128);
#endif
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  check_addresses();
  MPI_Datatype out = absolute(&g_out[3], &g_out[1]);
  MPI_Datatype in = absolute(&g_in[0], &g_in[2]);
  g_gap = 0.25;
  check_bcast(out);
  check_gather_scatter(out, in);
  check_allgather(out);
  check_allreduce(out);
  CHECK(g_out[0] == 0 && g_out[2] == 0 && g_in[1] == 0 && g_in[3] == 0 && g_gap == 0.25,
        "a neighbour was written");
  MPI_Type_free(&out);
  MPI_Type_free(&in);
  return check_finish("bottom");
}
