// Checks which error handler is invoked for calls on MPI_COMM_NULL: natively and with Tutti the same one, equally
// often.
#include "check.h"

#include <stdio.h>

static int g_of_world, g_of_self, g_of_others;

static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)code;
  int* const counter = *comm == MPI_COMM_WORLD  ? &g_of_world
                       : *comm == MPI_COMM_SELF ? &g_of_self
                                                : &g_of_others;
  ++*counter;
}

static void show(const char* what, int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  if (g_rank == 0)
    printf("%-20s class %d, handlers of world %d, self %d, others %d\n", what, class, g_of_world, g_of_self,
           g_of_others);
  g_of_world = g_of_self = g_of_others = 0;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  int in[4] = {0}, out[4] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  show("barrier", MPI_Barrier(MPI_COMM_NULL));
  show("bcast", MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_NULL));
  show("allreduce", MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  show("ibarrier", MPI_Ibarrier(MPI_COMM_NULL, &request));
  show("ibcast", MPI_Ibcast(in, 4, MPI_INT, 0, MPI_COMM_NULL, &request));
  show("ialltoall", MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_NULL, &request));
  // The communicators still work.
  int sum = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_size * (g_size - 1) / 2, "sum %d", sum);
  MPI_Errhandler_free(&handler);
  return check_finish("null_handles");
}
