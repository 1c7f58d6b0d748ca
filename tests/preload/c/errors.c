// Error classes of bad arguments under MPI_ERRORS_RETURN, and which error handler is called. The classes
// are printed by rank 0 and compared with the native ones by the runner: the standard leaves to the library
// which mistakes it reports, and how. Only mistakes that every rank makes alike and that are found before
// data move. Negative counts other than a broadcast's, on which MPICH 4.0.2 crashes, are tried with the
// argument `counts`, and with `aliases` one buffer on both sides, which Open MPI lets pass.
#include "check.h"

#include <stdio.h>
#include <string.h>

static int g_handled;          // calls of the user's handler
static MPI_Comm g_handled_on;  // the communicator it was given

static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)code;
  ++g_handled;
  g_handled_on = *comm;
}

static void show(const char* what, int code) {
  int class = MPI_SUCCESS;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_class(code, &class);
  MPI_Error_string(class, text, &length);
  if (g_rank == 0) printf("%-45s %s\n", what, text);
}

static int g_data[64];
static int g_other[64];

static void show_bad_roots(MPI_Comm comm) {
  show("bcast: root = size", MPI_Bcast(g_data, 1, MPI_INT, g_size, comm));
  show("bcast: root = -5", MPI_Bcast(g_data, 1, MPI_INT, -5, comm));
  show("reduce: root = size", MPI_Reduce(g_data, g_other, 1, MPI_INT, MPI_SUM, g_size, comm));
  show("gather: root = size", MPI_Gather(g_data, 1, MPI_INT, g_other, 1, MPI_INT, g_size, comm));
  show("scatter: root = -5", MPI_Scatter(g_data, 1, MPI_INT, g_other, 1, MPI_INT, -5, comm));
}

static void show_bad_counts(MPI_Comm comm) {
  show("allreduce: count = -1", MPI_Allreduce(g_data, g_other, -1, MPI_INT, MPI_SUM, comm));
  show("allgather: send count = -1", MPI_Allgather(g_data, -1, MPI_INT, g_other, 1, MPI_INT, comm));
  show("alltoall: send count = -1", MPI_Alltoall(g_data, -1, MPI_INT, g_other, 1, MPI_INT, comm));
  show("reduce_scatter_block: count = -1",
       MPI_Reduce_scatter_block(g_data, g_other, -1, MPI_INT, MPI_SUM, comm));
  show("scan: count = -1", MPI_Scan(g_data, g_other, -1, MPI_INT, MPI_SUM, comm));
}

static void show_bad_arguments(MPI_Comm comm) {
  show("bcast: count = -1", MPI_Bcast(g_data, -1, MPI_INT, 0, comm));
  show("bcast: null datatype", MPI_Bcast(g_data, 1, MPI_DATATYPE_NULL, 0, comm));
  show("allreduce: null datatype", MPI_Allreduce(g_data, g_other, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
  show("allreduce: null operator", MPI_Allreduce(g_data, g_other, 1, MPI_INT, MPI_OP_NULL, comm));
  show("exscan: null operator", MPI_Exscan(g_data, g_other, 1, MPI_INT, MPI_OP_NULL, comm));
  show("allgather: null receive datatype",
       MPI_Allgather(g_data, 1, MPI_INT, g_other, 1, MPI_DATATYPE_NULL, comm));
}

static void show_bad_operators(MPI_Comm comm) {
  show("allreduce: MPI_SUM on MPI_BYTE", MPI_Allreduce(g_data, g_other, 1, MPI_BYTE, MPI_SUM, comm));
  show("allreduce: MPI_BAND on MPI_DOUBLE", MPI_Allreduce(g_data, g_other, 1, MPI_DOUBLE, MPI_BAND, comm));
  show("allreduce: MPI_MAXLOC on MPI_INT", MPI_Allreduce(g_data, g_other, 1, MPI_INT, MPI_MAXLOC, comm));
  show("allreduce: MPI_LXOR on MPI_FLOAT", MPI_Allreduce(g_data, g_other, 1, MPI_FLOAT, MPI_LXOR, comm));
  if (MPI_INTEGER != MPI_DATATYPE_NULL)
    show("allreduce: MPI_LAND on MPI_INTEGER",
         MPI_Allreduce(g_data, g_other, 1, MPI_INTEGER, MPI_LAND, comm));
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  show("reduce: MPI_SUM on a derived datatype", MPI_Reduce(g_data, g_other, 1, pair, MPI_SUM, 0, comm));
  MPI_Type_free(&pair);
}

// One buffer on both sides. A rank without a result does not look at its own, and is refused all the same.
static void show_aliases(MPI_Comm comm) {
  show("allreduce: one buffer", MPI_Allreduce(g_data, g_data, 2, MPI_INT, MPI_SUM, comm));
  show("exscan: one buffer", MPI_Exscan(g_data, g_data, 2, MPI_INT, MPI_SUM, comm));
  MPI_Request request = MPI_REQUEST_NULL;
  show("iexscan: one buffer", MPI_Iexscan(g_data, g_data, 2, MPI_INT, MPI_SUM, comm, &request));
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void show_uncommitted(MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  show("bcast: datatype not committed", MPI_Bcast(g_data, 1, type, 0, comm));
  MPI_Type_free(&type);
}

// With a null communicator the error handler of MPI_COMM_WORLD (or MPI_COMM_SELF) is invoked.
static void show_null_communicators(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  show("barrier: null communicator", MPI_Barrier(MPI_COMM_NULL));
  show("bcast: null communicator", MPI_Bcast(g_data, 1, MPI_INT, 0, MPI_COMM_NULL));
  show("allreduce: null communicator", MPI_Allreduce(g_data, g_other, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
}

static void check_user_handler(void) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Bcast(g_data, 1, MPI_INT, g_size, comm);
  CHECK(g_handled == 1 && g_handled_on == comm, "the handler was called %d times", g_handled);
  MPI_Reduce(g_data, g_other, 1, MPI_INT, MPI_SUM, -5, comm);
  CHECK(g_handled == 2 && g_handled_on == comm, "the handler was called %d times", g_handled);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  show_bad_roots(comm);
  if (argc > 1 && strcmp(argv[1], "counts") == 0) show_bad_counts(comm);
  show_bad_arguments(comm);
  show_bad_operators(comm);
  show_uncommitted(comm);
  if (argc > 1 && strcmp(argv[1], "aliases") == 0) show_aliases(comm);
  show_null_communicators();
  check_user_handler();
  // The communicator still works after all of this.
  int sum = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == g_size * (g_size - 1) / 2, "sum %d after errors", sum);
  MPI_Comm_free(&comm);
  return check_finish("errors");
}
