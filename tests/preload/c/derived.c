// Derived datatypes: gaps, odd extents, negative lower bounds, interleaved columns, items in descending
// order; with the argument `negative-extents` elements in descending order too, which Open MPI 4.1.4 cannot
// gather. Every rank uses another layout of the same signature, and sends with one layout what
// it receives with another. Whole buffers are compared, gaps and margins included.
#include "layout.h"

#include <stdlib.h>
#include <string.h>

static Layout* g_layouts;
static int g_layout_count;

static const Layout* layout_of(int rank, int turn) {
  return &g_layouts[(rank + turn) % g_layout_count];
}

typedef struct {
  MPI_Comm comm;
  int rank;
  int size;
  int root;
  int count;  // elements for each rank
  int turn;   // chooses the layouts
} Case;

// A buffer for `blocks` shares whose share k holds the items of `from(k)` to `to(k)`; -1 leaves it empty.
static Buffer filled(const Case* c, const Layout* layout, int blocks, int from, int to) {
  Buffer buffer = buffer_make(layout, (size_t)blocks * (size_t)c->count);
  for (int k = 0; k < blocks; ++k)
    for (int i = 0; i < c->count; ++i)
      buffer_put(&buffer, (size_t)(k * c->count + i), from < 0 ? k : from, (size_t)i,
                 (unsigned)(to < 0 ? k : to));
  return buffer;
}

static Buffer empty(const Case* c, const Layout* layout, int blocks) {
  return buffer_make(layout, (size_t)blocks * (size_t)c->count);
}

static void compare(const Case* c, const char* call, Buffer* received, Buffer* expected, const Layout* sent) {
  CHECK(buffer_equal(received, expected), "%s of %d elements, root %d: from '%s' to '%s'", call, c->count,
        c->root, sent->name, received->layout->name);
  buffer_free(received);
  buffer_free(expected);
}

static void check_bcast(const Case* c) {
  const Layout* layout = layout_of(c->rank, c->turn);
  const bool is_root = c->rank == c->root;
  Buffer data = is_root ? filled(c, layout, 1, c->root, 0) : empty(c, layout, 1);
  Buffer expected = filled(c, layout, 1, c->root, 0);
  MPI_Bcast(data.origin, c->count, layout->type, c->root, c->comm);
  compare(c, "bcast", &data, &expected, layout_of(c->root, c->turn));
}

static void check_gather(const Case* c, bool v) {
  const Layout* out = layout_of(c->rank, c->turn);
  const Layout* in = layout_of(c->rank, c->turn + 3);
  Buffer mine = filled(c, out, 1, c->rank, 0);
  const bool is_root = c->rank == c->root;
  Buffer all = empty(c, in, is_root ? c->size : 0);
  int* counts = allocate_ints((size_t)c->size, c->count);
  int* displacements = allocate_ints((size_t)c->size, 0);
  for (int k = 0; k < c->size; ++k) displacements[k] = k * c->count;
  if (v)
    MPI_Gatherv(mine.origin, c->count, out->type, all.origin, counts, displacements, in->type, c->root,
                c->comm);
  else
    MPI_Gather(mine.origin, c->count, out->type, all.origin, c->count, in->type, c->root, c->comm);
  Buffer expected = filled(c, in, is_root ? c->size : 0, -1, 0);
  compare(c, v ? "gatherv" : "gather", &all, &expected, out);
  free(displacements);
  free(counts);
  buffer_free(&mine);
}

static void check_scatter(const Case* c, bool v) {
  const Layout* out = layout_of(c->rank, c->turn);
  const Layout* in = layout_of(c->rank, c->turn + 1);
  const bool is_root = c->rank == c->root;
  Buffer all = filled(c, out, is_root ? c->size : 0, c->root, -1);
  Buffer mine = empty(c, in, 1);
  int* counts = allocate_ints((size_t)c->size, c->count);
  int* displacements = allocate_ints((size_t)c->size, 0);
  for (int k = 0; k < c->size; ++k) displacements[k] = k * c->count;
  if (v)
    MPI_Scatterv(all.origin, counts, displacements, out->type, mine.origin, c->count, in->type, c->root,
                 c->comm);
  else
    MPI_Scatter(all.origin, c->count, out->type, mine.origin, c->count, in->type, c->root, c->comm);
  Buffer expected = filled(c, in, 1, c->root, c->rank);
  compare(c, v ? "scatterv" : "scatter", &mine, &expected, layout_of(c->root, c->turn));
  free(displacements);
  free(counts);
  buffer_free(&all);
}

static void check_allgather(const Case* c, bool in_place) {
  const Layout* out = layout_of(c->rank, c->turn);
  const Layout* in = layout_of(c->rank, c->turn + 5);
  Buffer mine = filled(c, out, 1, c->rank, 0);
  Buffer all = empty(c, in, c->size);
  if (in_place) {
    for (int i = 0; i < c->count; ++i)
      buffer_put(&all, (size_t)(c->rank * c->count + i), c->rank, (size_t)i, 0);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.origin, c->count, in->type, c->comm);
  } else {
    MPI_Allgather(mine.origin, c->count, out->type, all.origin, c->count, in->type, c->comm);
  }
  Buffer expected = filled(c, in, c->size, -1, 0);
  compare(c, "allgather", &all, &expected, out);
  buffer_free(&mine);
}

// One element more for every higher rank, shares in descending order.
static void check_allgatherv(const Case* c) {
  const Layout* out = layout_of(c->rank, c->turn);
  const Layout* in = layout_of(c->rank, c->turn + 5);
  int* counts = allocate_ints((size_t)c->size, 0);
  int* displacements = allocate_ints((size_t)c->size, 0);
  int total = 0;
  for (int peer = c->size - 1; peer >= 0; --peer) {
    counts[peer] = c->count + peer;
    displacements[peer] = total;
    total += counts[peer];
  }
  Buffer mine = buffer_make(out, (size_t)counts[c->rank]);
  for (int i = 0; i < counts[c->rank]; ++i) buffer_put(&mine, (size_t)i, c->rank, (size_t)i, 9);
  Buffer all = buffer_make(in, (size_t)total);
  Buffer expected = buffer_make(in, (size_t)total);
  for (int peer = 0; peer < c->size; ++peer)
    for (int i = 0; i < counts[peer]; ++i)
      buffer_put(&expected, (size_t)(displacements[peer] + i), peer, (size_t)i, 9);
  MPI_Allgatherv(mine.origin, counts[c->rank], out->type, all.origin, counts, displacements, in->type,
                 c->comm);
  compare(c, "allgatherv", &all, &expected, out);
  buffer_free(&mine);
  free(displacements);
  free(counts);
}

static void check_alltoall(const Case* c, bool v) {
  const Layout* out = layout_of(c->rank, c->turn);
  const Layout* in = layout_of(c->rank, c->turn + 2);
  Buffer outgoing = filled(c, out, c->size, c->rank, -1);
  Buffer incoming = empty(c, in, c->size);
  int* counts = allocate_ints((size_t)c->size, c->count);
  int* displacements = allocate_ints((size_t)c->size, 0);
  for (int k = 0; k < c->size; ++k) displacements[k] = k * c->count;
  if (v)
    MPI_Alltoallv(outgoing.origin, counts, displacements, out->type, incoming.origin, counts, displacements,
                  in->type, c->comm);
  else
    MPI_Alltoall(outgoing.origin, c->count, out->type, incoming.origin, c->count, in->type, c->comm);
  Buffer expected = filled(c, in, c->size, -1, c->rank);
  compare(c, v ? "alltoallv" : "alltoall", &incoming, &expected, out);
  free(displacements);
  free(counts);
  buffer_free(&outgoing);
}

// Another layout for every peer, each in memory of its own, with its absolute address.
static void check_alltoallw(const Case* c) {
  const size_t size = (size_t)c->size;
  Buffer* outgoing = allocate(size * sizeof *outgoing);
  Buffer* incoming = allocate(size * sizeof *incoming);
  MPI_Datatype* out = allocate(size * sizeof *out);
  MPI_Datatype* in = allocate(size * sizeof *in);
  int* counts = allocate_ints(size, 1);
  int* zeros = allocate_ints(size, 0);
  for (int peer = 0; peer < c->size; ++peer) {
    const Layout* sent = layout_of(peer, c->turn);
    const Layout* received = layout_of(peer, c->turn + 4);
    outgoing[peer] = filled(c, sent, 1, c->rank, peer);
    incoming[peer] = empty(c, received, 1);
    MPI_Aint address[2];
    MPI_Get_address(outgoing[peer].origin, &address[0]);
    MPI_Get_address(incoming[peer].origin, &address[1]);
    MPI_Type_create_struct(1, &c->count, &address[0], &sent->type, &out[peer]);
    MPI_Type_create_struct(1, &c->count, &address[1], &received->type, &in[peer]);
    MPI_Type_commit(&out[peer]);
    MPI_Type_commit(&in[peer]);
  }
  MPI_Alltoallw(MPI_BOTTOM, counts, zeros, out, MPI_BOTTOM, counts, zeros, in, c->comm);
  for (int peer = 0; peer < c->size; ++peer) {
    Buffer expected = filled(c, layout_of(peer, c->turn + 4), 1, peer, c->rank);
    compare(c, "alltoallw", &incoming[peer], &expected, layout_of(peer, c->turn));
    buffer_free(&outgoing[peer]);
    MPI_Type_free(&out[peer]);
    MPI_Type_free(&in[peer]);
  }
  free(zeros);
  free(counts);
  free(in);
  free(out);
  free(incoming);
  free(outgoing);
}

static void check_case(const Case* c) {
  check_bcast(c);
  check_gather(c, c->turn % 2);
  check_scatter(c, c->turn % 2);
  check_allgather(c, (c->turn + c->count) % 2);
  check_allgatherv(c);
  check_alltoall(c, c->turn % 2);
  check_alltoallw(c);
}

static void check_all(MPI_Comm comm, int rank, int size) {
  const int counts[] = {1, 0, 3, 30, 75};
  for (int turn = 0; turn < g_layout_count; ++turn)
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
      const Case c = {comm, rank, size, (turn + (int)i) % size, counts[i], turn};
      check_case(&c);
    }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const bool negative_extents = argc > 1 && strcmp(argv[1], "negative-extents") == 0;
  const MPI_Datatype units[] = {MPI_INT, MPI_CHAR};
  for (int unit = 0; unit < 2; ++unit) {
    g_layouts = layouts_make(units[unit], negative_extents, &g_layout_count);
    for_each_communicator(check_all);
    layouts_free(g_layouts, g_layout_count);
  }
  return check_finish("derived");
}
