// Passes pending data to MPI calls that send nothing, right after a broadcast with a late root: arrays, strings,
// buffers for results, and the program's own functions that read the data. The MPI accesses all of them while it
// holds its lock. Under TUTTI_OVERLAP the data may still be in flight (docs/overlap.md).

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_count = 1 << 16, k_late_us = 20000, k_text = 100 };

static int* g_array;
static int g_round;

static size_t array_bytes(void) {
  return k_count * sizeof *g_array;
}

static void broadcast(MPI_Comm comm) {
  ++g_round;
  if (g_rank == 0) {
    for (int i = 0; i < k_count; ++i) g_array[i] = 2 * i;
    usleep(k_late_us);
  }
  MPI_Bcast(g_array, k_count, MPI_INT, 0, comm);
}

/// An address in the middle of the data, on a separate page.
static void* pending_place(void) {
  return g_array + k_count / 2;
}

static bool is_there(void) {
  for (int i = 0; i < k_count; i += 512)
    if (g_array[i] != 2 * i) return false;
  return true;
}

static void indices_of_a_type(void) {
  int* const lengths = allocate_ints(k_count, 1);
  MPI_Datatype type;
  MPI_Aint lower, extent;
  broadcast(MPI_COMM_WORLD);
  MPI_Type_indexed(k_count, lengths, g_array, MPI_INT, &type);
  MPI_Type_get_extent(type, &lower, &extent);
  CHECK(extent == (MPI_Aint)sizeof(int) * (2 * k_count - 1), "the extent is %ld", (long)extent);
  MPI_Type_free(&type);
  free(lengths);
}

static void members_of_a_group(void) {
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  broadcast(MPI_COMM_WORLD);
  MPI_Group_incl(all, 1, &g_array[0], &some);
  int rank = -1;
  MPI_Group_translate_ranks(some, 1, &g_array[0], all, &rank);
  CHECK(rank == 0, "the member is %d", rank);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

/// A ring: two neighbours for each rank.
static void neighbours_of_a_graph(void) {
  int* const edges = allocate_ints(2 * (size_t)g_size, 0);
  for (int rank = 0; rank < g_size; ++rank) {
    edges[2 * rank] = (rank + 1) % g_size;
    edges[2 * rank + 1] = (rank + g_size - 1) % g_size;
  }
  MPI_Comm graph;
  int node_count = 0, edge_count = 0;
  broadcast(MPI_COMM_WORLD);
  MPI_Graph_create(MPI_COMM_WORLD, g_size, &g_array[1], edges, 0, &graph);
  MPI_Graphdims_get(graph, &node_count, &edge_count);
  CHECK(node_count == g_size && edge_count == 2 * g_size, "a graph");
  MPI_Comm_free(&graph);
  free(edges);
}

static void texts(void) {
  char* const value = pending_place();
  MPI_Info info;
  char found[k_text + 1];
  int has = 0;
  MPI_Info_create(&info);
  ++g_round;
  if (g_rank == 0) {
    memset(g_array, 'v', array_bytes());
    value[k_text / 2] = '\0';
    usleep(k_late_us);
  }
  MPI_Bcast(g_array, k_count, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Info_set(info, "key", value);
  MPI_Info_get(info, "key", k_text, found, &has);
  CHECK(has && strlen(found) == k_text / 2 && found[0] == 'v', "a text");
  MPI_Info_free(&info);
}

/// Query results are written to the middle of the data, and must remain.
static void places_for_results(void) {
  int* const place = pending_place();
  broadcast(MPI_COMM_WORLD);
  MPI_Comm_size(MPI_COMM_WORLD, place);
  CHECK(*place == g_size && g_array[k_count / 2 + 1] == k_count + 2, "a size");
  broadcast(MPI_COMM_WORLD);
  MPI_Datatype* const type = pending_place();
  MPI_Type_contiguous(3, MPI_INT, type);
  MPI_Datatype made = *type;
  MPI_Type_size(made, place);
  CHECK(*place == 3 * (int)sizeof(int), "a type");
  MPI_Type_free(&made);
}

static void statuses(void) {
  MPI_Request requests[2];
  int sent = g_round, received = -1;
  MPI_Irecv(&received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
  broadcast(MPI_COMM_WORLD);
  MPI_Status* const found = pending_place();
  MPI_Waitall(2, requests, found);
  CHECK(found[0].MPI_TAG == 1 && received == sent, "a status");
}

static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  CHECK(value == g_array && is_there(), "an attribute");
  return MPI_SUCCESS;
}

static void attributes(void) {
  MPI_Comm comm;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, g_array);
  broadcast(comm);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  CHECK(is_there(), "an error handler");
}

static void error_handlers(void) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  broadcast(comm);
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  CHECK(is_there(), "a query");
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int release(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static int cancel(void* extra, int is_complete) {
  (void)extra, (void)is_complete;
  return MPI_SUCCESS;
}

static void generalized_requests(void) {
  MPI_Request request;
  MPI_Grequest_start(query, release, cancel, NULL, &request);
  MPI_Grequest_complete(request);
  broadcast(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void (*const k_hazards[])(void) = {
    indices_of_a_type, members_of_a_group, neighbours_of_a_graph, texts, places_for_results, statuses,
    attributes,        error_handlers,     generalized_requests,
};

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_array = mmap(NULL, array_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < sizeof k_hazards / sizeof *k_hazards; ++i) k_hazards[i]();
  return check_finish("early_arguments");
}
