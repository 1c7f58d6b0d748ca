// Error handlers that call the MPI, and that do not return: they jump out of it, as exceptions do. The MPI goes on
// working, and so do nonblocking collectives afterwards.
#include "check.h"

#include <setjmp.h>

enum { k_rounds = 20, k_elements = 5000 };
static jmp_buf g_way_out;

static void leave(MPI_Comm* comm, int* code, ...) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0, error_class = MPI_SUCCESS;
  MPI_Comm other;
  MPI_Comm_get_name(*comm, name, &length);
  MPI_Error_class(*code, &error_class);
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Comm_free(&other);
  longjmp(g_way_out, length > 0 && error_class != MPI_SUCCESS ? 1 : 2);
}

static void call_wrongly(int round) {
  int value = 0, values[2] = {0};
  MPI_Request request;
  switch (round % 4) {
    case 0:
      MPI_Send(&value, 1, MPI_INT, g_size, 0, MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Bcast(&value, 1, MPI_INT, g_size, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Recv(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Irecv(&value, 1, MPI_INT, g_rank, 0, MPI_COMM_WORLD, &request);
      MPI_Send(values, 2, MPI_INT, g_rank, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);  // Open MPI may leave the error in the status
  }
}

static void run_nonblocking(int round) {
  static double values[k_elements];
  MPI_Request request;
  const int root = round % g_size;
  for (int i = 0; i < k_elements; ++i) values[i] = g_rank == root ? round + i : -1;
  MPI_Ibcast(values, k_elements, MPI_DOUBLE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < k_elements; ++i) CHECK(values[i] == round + i, "element %d of round %d", i, round);
  double sum = 0, own = g_rank;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_size * (g_size - 1) / 2, "the sum is %g", sum);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (volatile int round = 0; round < k_rounds; ++round) {
    volatile bool has_left = false;
    switch (setjmp(g_way_out)) {
      case 0:
        call_wrongly(round);
        break;
      case 1:
        has_left = true;
        break;
      default:
        CHECK(false, "the handler got no answers in round %d", round);
    }
    CHECK(has_left || round % 4 == 3, "no error in round %d", round);
    run_nonblocking(round);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  return check_finish("leaving_handlers");
}
