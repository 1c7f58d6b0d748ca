// How a program ends: the argument is one ending whose exit status the runner compares. With a second
// argument, "pending", a nonblocking collective is under way meanwhile.
//   fatal        a bad root under MPI_ERRORS_ARE_FATAL
//   abort        MPI_Abort by the last rank while others wait in a collective
//   status       MPI_Finalize, then a non-zero exit status
//   exit         exit without MPI_Finalize after collectives
//   quick_exit   _exit without MPI_Finalize after collectives
//   atexit       MPI_Finalize called by a handler of atexit
//   signal       the last rank is killed by a signal
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void finalize_at_exit(void) {
  MPI_Finalize();
}

static void use_collectives(void) {
  int data[1000] = {0};
  int sum = 0;
  MPI_Bcast(data, 1000, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != g_size * (g_size - 1) / 2) exit(77);
}

static void leave_one_pending(void) {
  enum { k_count = 200000 };
  int* data = allocate_ints(k_count, g_rank);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, data, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

int main(int argc, char** argv) {
  const char* ending = argc > 1 ? argv[1] : "";
  check_init(&argc, &argv);
  use_collectives();
  if (argc > 2 && strcmp(argv[2], "pending") == 0) leave_one_pending();
  if (strcmp(ending, "fatal") == 0) {
    int data = 0;
    MPI_Bcast(&data, 1, MPI_INT, g_size, MPI_COMM_WORLD);
    printf("a fatal error let the program go on\n");
    return 0;
  }
  if (strcmp(ending, "abort") == 0) {
    if (g_rank == g_size - 1) MPI_Abort(MPI_COMM_WORLD, 42);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(ending, "signal") == 0) {
    if (g_rank == g_size - 1) raise(SIGTERM);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(ending, "status") == 0) {
    MPI_Finalize();
    return 5;
  }
  if (strcmp(ending, "exit") == 0) exit(0);
  if (strcmp(ending, "quick_exit") == 0) _exit(0);
  if (strcmp(ending, "atexit") == 0) {
    atexit(finalize_at_exit);
    return 0;
  }
  fprintf(stderr, "endings: '%s' is no ending\n", ending);
  MPI_Finalize();
  return 2;
}
